# GEO and LEO of bench/README.md for ns-2 2.35: one Vegas flow over satellites, no trace files.
#   ns satellites.tcl -scen GEO|LEO [-time s] [-routes topology|packet]
# Packets of 1000 octets, to which the satellite link layer adds 16. Routes are computed for all nodes when the topology
# changes, or, as ns-2's own examples of constellations have it, for each packet at each node.
# Prints one line: TAG key=value ...
array set opt {scen GEO time 600 routes topology}
foreach {k v} $argv { set opt([string range $k 1 end]) $v }
set ns [new Simulator]
$ns rtproto Dummy
remove-all-packet-headers
add-packet-header IP TCP Flags LL Mac SR
Agent/TCP set packetSize_ 1000
Agent/TCP set useHeaders_ false
Agent/TCP set window_ 100000
Agent/TCP set tcpTick_ 0.01
SatRouteObject set metric_delay_ true
SatRouteObject set data_driven_computation_ [expr {$opt(routes) == "packet"}]
HandoffManager/Term set elevation_mask_ 8.2
HandoffManager/Term set term_handoff_int_ 10
HandoffManager/Sat set sat_handoff_int_ 10
HandoffManager/Sat set latitude_threshold_ 60
HandoffManager set handoff_randomization_ true

proc terminal {kind lat lon sat} {
  global ns
  $ns node-config -satNodeType terminal -phyType Phy/Sat
  set node [$ns node]
  $node set-position $lat $lon
  $node add-gsl $kind LL/Sat Queue/DropTail 50 Mac/Sat 1.5Mb Phy/Sat [$sat set downlink_] [$sat set uplink_]
  return $node
}

if {$opt(scen) == "GEO"} {
  $ns node-config -satNodeType geo-repeater -phyType Phy/Repeater -channelType Channel/Sat -downlinkBW 1.5Mb -wiredRouting OFF
  set sat [$ns node]
  $sat set-position -95
  set from [terminal geo 40.9 -73.9 $sat]
  set to [terminal geo 37.8 -122.4 $sat]
} else {
  $ns node-config -satNodeType polar -llType LL/Sat -ifqType Queue/DropTail -ifqLen 50 -macType Mac/Sat \
    -phyType Phy/Sat -channelType Channel/Sat -downlinkBW 1.5Mb -wiredRouting OFF
  set planes 6
  set each 11
  for {set p 0} {$p < $planes} {incr p} {
    for {set k 0} {$k < $each} {incr k} {
      set s($p,$k) [$ns node]
      $s($p,$k) set-position 780 86.4 [expr 31.6 * $p] [expr 360.0 / $each * $k + 16.36 * ($p % 2)] [expr $p + 1]
    }
  }
  for {set p 0} {$p < $planes} {incr p} {
    for {set k 0} {$k < $each} {incr k} {
      $s($p,$k) set_next $s($p,[expr ($k + $each - 1) % $each])
      $ns add-isl intraplane $s($p,$k) $s($p,[expr ($k + 1) % $each]) 25Mb Queue/DropTail 50
      if {$p + 1 < $planes} { $ns add-isl interplane $s($p,$k) $s([expr $p + 1],$k) 25Mb Queue/DropTail 50 }
    }
  }
  set from [terminal polar 37.9 -122.3 $s(0,0)]
  set to [terminal polar 42.3 -71.1 $s(0,0)]
}
set tcp [new Agent/TCP/Vegas]
set sink [new Agent/TCPSink]
$ns attach-agent $from $tcp
$ns attach-agent $to $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 1.0 "$ftp start"
set routes [new SatRouteObject]
$routes compute_routes
proc fin {} {
  global opt tcp
  set acked [expr [$tcp set ack_] > 0 ? [$tcp set ack_] : 0]
  set mbps [format %.4f [expr $acked * 8000.0 / $opt(time) / 1e6]]
  puts "ns2 scen=$opt(scen) routes=$opt(routes) T=$opt(time) acked_segs=$acked rexmt=[$tcp set nrexmitpack_] cwnd=[$tcp set cwnd_] goodput_Mbps=$mbps"
  exit 0
}
$ns at $opt(time) fin
$ns run
