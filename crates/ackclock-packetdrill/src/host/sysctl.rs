//! Commands for a shell that set something: `sysctl`, the scripts of packetdrill's own tests that do it, and files below /proc and /sys.

use super::settings::Settings;
use crate::script::{Shell, Trouble};

/// What these commands set.
pub(crate) fn apply(shell: &Shell, settings: &mut Settings) -> Result<(), Trouble> {
    let joined = shell.text.replace("\\\n", " ");
    for (offset, text) in joined.lines().enumerate() {
        let line = shell.line + offset;
        let text = text.split('#').next().unwrap_or_default();
        for command in text.split([';', '|']).flat_map(|text| text.split("&&")) {
            apply_command(command.trim(), line, settings)?;
        }
    }
    Ok(())
}

fn apply_command(command: &str, line: usize, settings: &mut Settings) -> Result<(), Trouble> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let Some(&first) = words.first() else { return Ok(()) };
    match first.rsplit('/').next().unwrap_or(first) {
        "defaults.sh" => defaults(settings),
        "sysctl" => {
            for setting in words[1..].iter().filter(|word| !word.starts_with('-')) {
                if let Some((name, value)) = setting.split_once('=') {
                    apply_setting(name, unquote(value), line, settings)?;
                }
            }
        }
        "set_sysctls.py" => {
            for (name, value) in words[1..].iter().filter_map(|word| word.split_once('=')) {
                apply_setting(name, unquote(value), line, settings)?;
            }
        }
        "echo" if words.get(2) == Some(&">") && words.len() == 4 => {
            apply_setting(words[3], unquote(words[1]), line, settings)?;
        }
        "ip" if words.iter().any(|word| word.starts_with("route") || *word == "r") => route(&words, line, settings)?,
        "tc" if words.windows(2).any(|pair| pair == ["limit", "0"]) => {
            let reason = "the queue of the device drops what the host sends";
            return Err(Trouble::new(line, reason, "a host here has no device; lose packets by not answering them"));
        }
        word if word.starts_with("sysctl_restore") => {}
        _ => settings.leave_out(line, format!("command `{command}`")),
    }
    Ok(())
}

/// What packetdrill's own tests begin with: what a host on Linux has anyway, but for pauses.
fn defaults(settings: &mut Settings) {
    settings.set("restart_after_idle", false);
    settings.ecn = 0;
}

fn apply_setting(path: &str, value: &str, line: usize, settings: &mut Settings) -> Result<(), Trouble> {
    let name = path.rsplit(['.', '/']).next().unwrap_or(path);
    let is_on = value != "0";
    match name {
        "tcp_congestion_control" => settings.set_congestion_control(line, value)?,
        "tcp_sack" => settings.sack = is_on,
        "tcp_dsack" => settings.set("dsack", is_on),
        "tcp_timestamps" => settings.timestamps = is_on,
        "tcp_window_scaling" => settings.scaling = is_on,
        "tcp_frto" => settings.set("f_rto", is_on),
        "tcp_slow_start_after_idle" => settings.set("restart_after_idle", is_on),
        "tcp_ecn" => match value {
            "0" | "1" | "2" => settings.ecn = value.parse().unwrap_or(2),
            _ => return Err(Trouble::new(line, "accurate ECN is not modelled", "set tcp_ecn to 0, 1 or 2")),
        },
        "tcp_mtu_probing" if is_on => {
            let remedy = "leave it off: segments have one size";
            return Err(Trouble::new(line, "probing of the path's MTU is not modelled", remedy));
        }
        "tcp_recovery" if value == "0" => settings.set("recovery", "rfc6675"),
        "tcp_rto_min_us" => settings.set("min_rto", format_args!("{value} us")),
        "tcp_rto_max_ms" => settings.set("max_rto", format_args!("{value} ms")),
        "hystart" => settings.set("slow_start_exit", if is_on { "hystart" } else { "loss" }),
        // What is set is what the model does.
        "tcp_recovery" | "tcp_fack" | "hystart_detect" if is_on || name == "tcp_fack" => {}
        "tcp_early_retrans" if is_on => {}
        "tcp_reordering" if value == "3" => {}
        _ => settings.leave_out(line, format!("{name} = {value}")),
    }
    Ok(())
}

/// A route with attributes of TCP.
fn route(words: &[&str], line: usize, settings: &mut Settings) -> Result<(), Trouble> {
    let mut known = false;
    for pair in words.windows(2) {
        match pair[0] {
            "initcwnd" => settings.set("initial_window", format_args!("{} segments", pair[1])),
            "rto_min" => settings.set("min_rto", pair[1].replace("ms", " ms")),
            "mtu" | "lock" => match pair[1].parse() {
                Ok(mtu) if mtu > 100 => settings.mtu = mtu,
                _ if pair[1] == "lock" => continue,
                _ => return Err(Trouble::new(line, format!("no MTU: {}", pair[1]), "write a number of octets")),
            },
            _ => continue,
        }
        known = true;
    }
    if !known {
        settings.leave_out(line, format!("command `{}`", words.join(" ")));
    }
    Ok(())
}

fn unquote(text: &str) -> &str {
    text.trim_matches(['"', '\''])
}
