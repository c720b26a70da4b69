//! Bits by hand, and scoreboards by the thousand.

use super::*;
use crate::rng::Stream;
use crate::tcp::sack_option::Timestamps;

const PRIVATE: Form = Form::Private { kind: 0xfd };

use Alternative::{EdgeBefore as Second, FirstEdge as First};

fn blocks(edges: &[(u32, u32)]) -> Vec<WireBlock> {
    edges.iter().map(|&(left, right)| WireBlock { left, right }).collect()
}

/// Blocks of 500 bytes from these sequence numbers on.
fn of_500(lefts: &[u32]) -> Vec<WireBlock> {
    lefts.iter().map(|&left| WireBlock { left, right: left.wrapping_add(500) }).collect()
}

/// Packets of 1000 bytes with these numbers, each a block.
fn packets(numbers: &[u32]) -> Vec<WireBlock> {
    numbers.iter().map(|&number| WireBlock { left: 1000 * number, right: 1000 * number + 1000 }).collect()
}

fn octets(text: &str) -> Vec<u8> {
    let digits: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(&pair.iter().collect::<String>(), 16).unwrap()).collect()
}

/// The vectors of the specification, V1 to V15b: name, blocks, alternative, form, octets.
fn vectors() -> Vec<(&'static str, Vec<WireBlock>, Alternative, Form, &'static str)> {
    let five = of_500(&[10_000, 9000, 8000, 7000, 6000]);
    let wraps = blocks(&[(100, 600), (4_294_966_896, 4_294_967_196)]);
    let above = of_500(&[6000, 8000]);
    let seven = packets(&[51, 49, 47, 45, 43, 41, 39]);
    vec![
        ("V1", of_500(&[6000]), First, PRIVATE, "fd 09 09 00001964 fa00"),
        ("V2", of_500(&[7000, 6000]), First, PRIVATE, "fd 0c 0b 00001d4c 3e8fa2ee00"),
        ("V3", of_500(&[8000, 7000, 6000]), First, PRIVATE, "fd 0f 0c 00002134 1f43e85dc7d09c40"),
        ("V4", five[1..].to_vec(), First, PRIVATE, "fd 12 0c 0000251c 1f43e85dc7d09c4bb8dac0"),
        ("V4b", five[1..].to_vec(), Second, PRIVATE, "fd 0f 49 0000251c fa7d3e9f4fa7d3e8"),
        ("V5", five.clone(), First, PRIVATE, "fd 16 0d 00002904 0fa0fa0bb87d04e22ee1b58fa08ca0"),
        ("V5b", five.clone(), Second, PRIVATE, "fd 12 49 00002904 fa7d3e9f4fa7d3e9f4fa00"),
        ("V6", blocks(&[(4096, 8192)]), First, PRIVATE, "fd 09 0d 00002000 8000"),
        ("V7", blocks(&[(99, 100)]), First, PRIVATE, "fd 08 01 00000064 80"),
        ("V8", wraps.clone(), First, PRIVATE, "fd 0b 0a 00000258 7d2bcfa0"),
        ("V8b", wraps, Second, PRIVATE, "fd 0b 49 00000258 fa322580"),
        ("V9", above.clone(), First, PRIVATE, "fd 0c 8c 00001964 1f4830a240"),
        ("V9b", above, Second, PRIVATE, "fd 0c cd 00001964 0fa58f03e8"),
        ("V10", of_500(&[5500, 9000, 8000]), First, PRIVATE, "fd 10 8d 00001770 0fa495289163cc1800"),
        ("V11", blocks(&[(8000, 8500), (7000, 9500)]), First, PRIVATE, "fd 0c 8c 00002134 1f4c185dc0"),
        ("V12", blocks(&[(0x8000_0000, 0xc000_0000)]), First, PRIVATE, "fd 0b 1f c0000000 80000000"),
        ("V13", five, First, Form::Experimental, "fe 18 ac0c 0d 00002904 0fa0fa0bb87d04e22ee1b58fa08ca0"),
        (
            "V14",
            blocks(&[(12_000, 13_000), (10_000, 11_000), (8000, 9000), (3000, 7000)]),
            First,
            PRIVATE,
            "fd 14 0e 000032c8 0fa07d02ee0fa04e217709c400",
        ),
        ("V15", seven.clone(), First, PRIVATE, "fd 1e 0e 0000cb20 0fa07d02ee0fa04e217706d61f408ca2710abe2ee0cb20"),
        ("V15b", seven, Second, PRIVATE, "fd 18 4a 0000cb20 fa3e8fa3e8fa3e8fa3e8fa3e8fa3e8fa00"),
    ]
}

#[test]
fn every_vector_is_encoded_and_decoded_bit_by_bit() {
    for (name, blocks, alternative, form, text) in vectors() {
        let option = octets(text);
        assert_eq!(encode(&blocks, alternative, form, 40).unwrap().octets(), option, "{name}");
        assert_eq!(decode(&option, form, Flags::ALL), Ok(blocks), "{name}");
    }
}

#[test]
fn an_option_takes_no_more_room_than_it_has() {
    for (name, blocks, alternative, form, text) in vectors() {
        let length = octets(text).len();
        assert!(encode(&blocks, alternative, form, length).is_some(), "{name}");
        assert_eq!(encode(&blocks, alternative, form, length - 1), None, "{name}");
    }
}

#[test]
fn malformed_options_are_refused() {
    let refused = |text: &str| decode(&octets(text), PRIVATE, Flags::ALL).unwrap_err();
    assert_eq!(refused("fd 07 09 00001964"), Malformed::Length);
    assert_eq!(refused("fd 09 00 00001964 fa00"), Malformed::Width);
    assert_eq!(refused("fd 09 21 00001964 fa00"), Malformed::Width);
    assert_eq!(refused("fd 09 09 00001964 0000"), Malformed::Block, "an empty first block");
    assert_eq!(refused("fd 30 09 00001964 fa00"), Malformed::Length, "longer than all options together");
    assert_eq!(refused("fd 08 09 00001964 fa"), Malformed::Length, "less than one offset");
    assert_eq!(refused("fe 09 09 00001964 fa00"), Malformed::Length, "another kind");
    assert_eq!(refused(""), Malformed::Length);
    // The left edge above the right one: −1 in two bits.
    assert_eq!(refused("fd 08 82 00001964 c0"), Malformed::Block);
}

#[test]
fn what_was_not_negotiated_is_refused() {
    let refused = |text: &str, flags| decode(&octets(text), PRIVATE, flags);
    let first = Flags::FIRST_EDGE;
    assert_eq!(refused("fd 0b 49 00000258 fa322580", first), Err(Malformed::NotNegotiated));
    assert_eq!(refused("fd 0c 8c 00001964 1f4830a240", first), Err(Malformed::NotNegotiated));
    assert!(refused("fd 0c 8c 00001964 1f4830a240", first.or(Flags::SIGNED)).is_ok());
    assert_eq!(refused("fd 09 09 00001964 fa00", Flags::EDGE_BEFORE), Err(Malformed::NotNegotiated));
}

/// n = ⌊(⌊8(F − h)/X⌋ + 1)/2⌋ for X of the first row, h and F of the others.
#[test]
fn so_many_blocks_fit_as_the_table_says() {
    let widths = [8, 9, 10, 11, 12, 13, 14, 16, 17, 18, 20, 24, 28, 30, 31];
    let table = [
        (PRIVATE, 40, [17, 15, 13, 12, 11, 10, 9, 8, 8, 7, 7, 6, 5, 4, 4]),
        (PRIVATE, 28, [11, 9, 8, 8, 7, 6, 6, 5, 5, 5, 4, 4, 3, 3, 3]),
        (Form::Experimental, 40, [16, 14, 12, 11, 10, 10, 9, 8, 7, 7, 6, 5, 4, 4, 4]),
        (Form::Experimental, 28, [10, 8, 8, 7, 6, 6, 5, 5, 4, 4, 4, 3, 3, 3, 2]),
    ];
    for (form, room, counts) in table {
        for (width, expected) in widths.into_iter().zip(counts) {
            // Blocks of one byte, close together, but for the first, whose left edge is as far as so many bits say.
            let far = 1_u32 << (width - 1);
            let mut all = vec![WireBlock { left: 0, right: far }];
            all.extend((1..20).map(|n| WireBlock { left: far - 2 * n, right: far - 2 * n + 1 }));
            let fits = |count: usize| encode(&all[..count], First, form, room).is_some();
            let count = (1..=all.len()).take_while(|&count| fits(count)).last().unwrap_or(0);
            assert_eq!(count, expected, "X = {width}, {form:?}, {room}");
        }
    }
}

#[test]
fn the_standard_option_is_used_unless_the_other_says_more() {
    let negotiated = Negotiated::Offset(PRIVATE, Flags::ALL);
    let said = |blocks: &[WireBlock], preference, timestamps: Timestamps| {
        let report = report(blocks, negotiated, preference, timestamps.room(), 4).unwrap();
        let octets = report.option.octets();
        (octets[0], octets[2], report.blocks, octets.len())
    };
    let five = of_500(&[10_000, 9000, 8000, 7000, 6000]);
    let first = Preference::Always(First);
    assert_eq!(said(&five[..4], first, Timestamps::Off), (5, 0, 4, 34), "as many fit");
    assert_eq!(said(&five, first, Timestamps::Off), (0xfd, 0x0d, 5, 22));
    assert_eq!(said(&five[1..], first, Timestamps::Aligned), (0xfd, 0x0c, 4, 18));
    assert_eq!(said(&five, Preference::Shorter, Timestamps::Off), (0xfd, 0x49, 5, 18));
    // [VEGAS-A] Fig. 40 beside timestamps: seven blocks by the second alternative, six by the first.
    let seven = packets(&[51, 49, 47, 45, 43, 41, 39]);
    assert_eq!(said(&seven, first, Timestamps::Aligned), (0xfd, 0x0e, 6, 27));
    assert_eq!(said(&seven, Preference::Always(Second), Timestamps::Aligned), (0xfd, 0x4a, 7, 24));
    assert_eq!(report(&[], negotiated, first, 40, 4), None);
    assert_eq!(report(&five, Negotiated::Nothing, first, 40, 4), None);
    assert_eq!(report(&five, Negotiated::Standard, first, 40, 4).unwrap().blocks, 4);
    assert_eq!(report(&five, Negotiated::Standard, first, 40, 3).unwrap().blocks, 3, "as [SACK-UBR] has it");
    assert_eq!(
        report(&five[..4], negotiated, first, 40, 3).unwrap().blocks,
        4,
        "of which the other form knows nothing"
    );
    // Without signs a block above the first cannot be said.
    let unsigned = Negotiated::Offset(PRIVATE, Flags::FIRST_EDGE);
    let above = of_500(&[6000, 8000, 5000, 4000, 3000]);
    assert_eq!(report(&above, unsigned, first, 40, 4).unwrap().option.octets()[0], 5);
    assert_eq!(report(&above, negotiated, first, 40, 4).unwrap().blocks, 5);
}

#[test]
fn an_old_block_far_away_pushes_none_of_the_others_out() {
    // With the far one 32 bits: four blocks. Without it eleven of twelve bits.
    let mut all = of_500(&[8000, 7000, 6000, 5000, 4500 - 1]);
    all.push(WireBlock { left: 8500_u32.wrapping_sub(1 << 30), right: 8501_u32.wrapping_sub(1 << 30) });
    let report = report(&all, Negotiated::Offset(PRIVATE, Flags::ALL), Preference::Always(First), 40, 4).unwrap();
    assert_eq!((report.blocks, report.option.octets()[2]), (5, 0x0c));
}

#[test]
fn both_ends_must_say_both_things_in_their_syns() {
    let syn = |permitted, offset| SynSack { permitted, offset };
    let (full, plain) = (syn(true, Some(Flags::ALL)), syn(true, None));
    let with = |ours, theirs| negotiate(ours, theirs, Form::Experimental);
    assert_eq!(with(full, full), Negotiated::Offset(Form::Experimental, Flags::ALL));
    assert_eq!([with(full, plain), with(plain, full), with(plain, plain)], [Negotiated::Standard; 3]);
    assert_eq!(with(syn(false, Some(Flags::ALL)), full), Negotiated::Nothing);
    let first = syn(true, Some(Flags::FIRST_EDGE));
    assert_eq!(with(full, first), Negotiated::Offset(Form::Experimental, Flags::FIRST_EDGE));
    assert_eq!(with(first, syn(true, Some(Flags::EDGE_BEFORE))), Negotiated::Standard, "nothing in common");
    // On the wire; MSS, SACK permitted, timestamps, window scale and this one: 24 of 40 octets.
    assert_eq!(permit(Flags::ALL).octets(), [254, 5, 0xac, 0x0c, 7]);
    assert_eq!(permitted(permit(Flags::ALL).octets()), Some(Flags::ALL));
    assert_eq!(permitted(&[254, 5, 0xac, 0x0c, 0xf9]), Some(Flags::FIRST_EDGE));
    assert_eq!((permitted(&[254, 5, 0xac, 0x0d, 7]), permitted(&[254, 4, 0xac, 0x0c])), (None, None));
    assert_eq!(4 + 2 + 10 + 3 + permit(Flags::ALL).octets().len(), 24);
}

/// Blocks as a receiver may hold them: apart, in any order, anywhere, of any size; perhaps a duplicate first.
fn scoreboard(number: u64) -> Vec<WireBlock> {
    let stream = Stream::new(number, "scoreboard", "test");
    let mut counter = 0;
    let mut below = |bound: u64| {
        counter += 1;
        stream.below(bound, counter)
    };
    let (count, scale) = (1 + below(24), 1_u64 << below(26));
    let mut edge = below(1 << 32) as u32;
    let mut all: Vec<WireBlock> = (0..count)
        .map(|_| {
            let left = edge.wrapping_add(1 + below(scale) as u32);
            let right = left.wrapping_add(1 + below(scale) as u32);
            edge = right;
            WireBlock { left, right }
        })
        .collect();
    match below(4) {
        0 => {}
        1 => all.reverse(),
        _ => {
            for place in (1..all.len()).rev() {
                all.swap(place, below(place as u64 + 1) as usize);
            }
        }
    }
    if below(8) == 0 {
        let WireBlock { left, right } = all[0];
        all.insert(0, WireBlock { left, right: left.wrapping_add(1 + (right.wrapping_sub(left) - 1) / 2) });
    }
    all
}

/// `SACK_SCOREBOARDS` of them, or some thousand.
#[test]
fn random_scoreboards_are_encoded_and_decoded_without_loss() {
    let scoreboards = std::env::var("SACK_SCOREBOARDS").ok().and_then(|number| number.parse().ok()).unwrap_or(20_000);
    let (mut more, mut signed) = (0, 0);
    for number in 0..scoreboards {
        let all = scoreboard(number);
        for form in [PRIVATE, Form::Experimental] {
            for preference in [Preference::Always(First), Preference::Always(Second), Preference::Shorter] {
                for timestamps in [Timestamps::Off, Timestamps::Aligned, Timestamps::Bare] {
                    let negotiated = Negotiated::Offset(form, Flags::ALL);
                    let report = report(&all, negotiated, preference, timestamps.room(), 4).expect("one block fits");
                    let decoded = find(report.option.octets(), negotiated).unwrap().expect("it is there");
                    assert_eq!(decoded, all[..report.blocks], "{number}, {form:?}, {preference:?}, {timestamps:?}");
                    let standard = sack_option::capacity(timestamps.room()).min(all.len());
                    assert!(report.blocks >= standard && report.option.octets().len() <= timestamps.room(), "{number}");
                    more += u64::from(report.blocks > standard);
                }
            }
        }
        signed += u64::from(offsets(&all, First).any(|offset| offset < 0));
    }
    assert!(more > 3 * scoreboards && signed > scoreboards / 4, "{more} {signed} of {scoreboards}");
}

#[test]
fn no_octets_make_the_decoder_panic() {
    for number in 0..50_000 {
        let stream = Stream::new(number, "octets", "test");
        let length = stream.below(41, 0) as usize;
        let mut option: Vec<u8> = (0..length as u64).map(|index| stream.at(1 + index) as u8).collect();
        let negotiated = Negotiated::Offset(PRIVATE, Flags::ALL);
        let _ = find(&option, negotiated);
        // Mostly well-formed at the beginning, so that more is looked at.
        if length >= 3 {
            (option[0], option[1], option[2]) = (0xfd, length as u8, option[2] & 0xdf);
            if let Ok(blocks) = decode(&option, PRIVATE, Flags::ALL) {
                assert!(blocks.iter().all(|block| block.bytes().is_some()));
            }
        }
    }
}

#[test]
fn the_first_option_among_all_counts() {
    let flags = Flags::ALL;
    let negotiated = Negotiated::Offset(Form::Experimental, flags);
    let block = |left, right| WireBlock { left, right };
    let blocks = [block(6000, 6500)];
    let standard = sack_option::encode(&blocks, 40).unwrap();
    let offset = encode(&[block(8000, 8500)], Alternative::FirstEdge, Form::Experimental, 40).unwrap();
    let (standard, offset) = (standard.octets(), offset.octets());
    let of = |parts: &[&[u8]], negotiated| find(&parts.concat(), negotiated);
    assert_eq!(of(&[&[1, 1], standard, offset], negotiated), Ok(Some(blocks.to_vec())));
    assert_eq!(of(&[offset, standard], negotiated), Ok(Some(vec![block(8000, 8500)])));
    assert_eq!(of(&[offset, standard], Negotiated::Standard), Ok(Some(blocks.to_vec())), "unknown to the other end");
    assert_eq!(of(&[offset, standard], Negotiated::Nothing), Ok(None));
    assert_eq!(of(&[&[8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 0], standard], negotiated), Ok(None), "after the end");
    assert_eq!(of(&[&[1, 5]], negotiated), Err(Malformed::Length));
    assert_eq!(of(&[&[8, 1]], negotiated), Err(Malformed::Length));
    assert_eq!(of(&[&[8, 30, 0]], negotiated), Err(Malformed::Length));
}
