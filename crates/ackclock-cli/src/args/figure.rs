//! How figures look that are written as files.

use std::path::PathBuf;

use clap::{Args, ValueHint};

/// A figure for a paper, and how it looks
#[derive(Args, Debug)]
pub struct FigureArgs {
    /// Also write the figure to this file, as SVG or PDF by the end of its name; may be repeated
    #[arg(long, value_name = "FILE.svg|pdf", value_hint = ValueHint::FilePath)]
    pub plot: Vec<PathBuf>,
    /// How large that is, in in, cm, mm, pt or px, as in 7.2inx3in [default: 3.5in wide, as high as its plots need]
    #[arg(long, value_name = "WIDTH[xHEIGHT]", requires = "plot")]
    pub size: Option<String>,
    /// What stands above it
    #[arg(long, value_name = "TEXT", requires = "plot")]
    pub title: Option<String>,
    /// Write TEXT in the place of the name of a curve, an axis or a number; may be repeated
    #[arg(long, value_name = "NAME=TEXT", requires = "plot")]
    pub label: Vec<String>,
    /// Draw a curve in a colour, as in reno=#0072b2; may be repeated
    #[arg(long, value_name = "NAME=#RRGGBB", requires = "plot")]
    pub color: Vec<String>,
}
