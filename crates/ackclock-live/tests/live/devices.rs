//! Namespaces and devices, without an emulator.

use std::io::{ErrorKind, Read};
use std::net::{Ipv4Addr, UdpSocket};
use std::thread::sleep;
use std::time::{Duration, Instant};

use ackclock_live::{Namespace, Tun};

use crate::allowed;

#[test]
fn a_datagram_goes_from_one_namespace_to_the_other_by_hand() {
    if !allowed("a_datagram_goes_from_one_namespace_to_the_other_by_hand") {
        return;
    }
    let addresses = [1, 2].map(|n| Ipv4Addr::new(198, 18, 0, n));
    let namespaces = [(); 2].map(|()| Namespace::new().unwrap());
    assert_ne!(namespaces[0].inode(), namespaces[1].inode());
    by_hand(&namespaces, [0, 1].map(|n| Tun::new(&namespaces[n], addresses[n], 1500).unwrap()));
    // The same where TUN devices cannot be made.
    let namespaces = [(); 2].map(|()| Namespace::new().unwrap());
    let pairs = [0, 1].map(|n| Tun::of_pair(&namespaces[n], addresses[n], 1500).unwrap());
    assert!(pairs.iter().all(Tun::is_of_pair));
    by_hand(&namespaces, pairs);
}

fn by_hand(namespaces: &[Namespace; 2], tuns: [Tun; 2]) {
    let addresses = [1, 2].map(|n| Ipv4Addr::new(198, 18, 0, n));
    let socket = |n: usize| namespaces[n].enter(|| UdpSocket::bind((addresses[n], 2000)).unwrap()).unwrap();
    let [from, to] = [socket(0), socket(1)];
    from.send_to(b"payload", (addresses[1], 2000)).unwrap();
    let packet = read(&tuns[0]);
    assert_eq!((packet.len(), &packet[28..]), (35, &b"payload"[..]), "an IP packet without anything around it");
    tuns[1].write(&packet).unwrap();
    to.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let mut payload = [0; 100];
    assert_eq!(to.recv(&mut payload).unwrap(), 7);
    assert_eq!(&payload[..7], b"payload");
    assert_eq!(tuns.map(|tun| tun.lost()), [0, 0]);
}

#[test]
fn a_namespace_ends_with_its_descriptor() {
    if !allowed("a_namespace_ends_with_its_descriptor") {
        return;
    }
    let namespace = Namespace::new().unwrap();
    let inside = namespace.enter(|| std::fs::read_link("/proc/thread-self/ns/net").unwrap()).unwrap();
    assert!(inside.to_string_lossy().contains(&namespace.inode().to_string()), "{inside:?}");
    let outside = std::fs::read_link("/proc/thread-self/ns/net").unwrap();
    assert_ne!(inside, outside, "the thread of the caller stays where it is");
}

/// The next packet that the kernel sends.
fn read(tun: &Tun) -> Vec<u8> {
    let (mut packet, begin) = (vec![0; 2000], Instant::now());
    loop {
        match tun.file().read(&mut packet) {
            Ok(length) => {
                packet.truncate(length);
                return packet;
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock && begin.elapsed() < Duration::from_secs(10) => {
                sleep(Duration::from_millis(1));
            }
            Err(error) => panic!("{error}"),
        }
    }
}
