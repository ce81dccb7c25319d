/// What a line of the log is about, with the number by which the journal knows it (MESSAGE_ID in
/// systemd.journal-fields(7)).
///
/// A number never changes its meaning. `systemd/trunkline.catalog` explains each, for `journalctl --catalog`.
enum LogKind: String, CaseIterable {
    case listening = "11f3e84ef7cb4590a1ecb06591123436"
    case noControl = "4c547cb46b824c91b1f9cd0512fd9589"
    case cannotStart = "d52d01383b2446fd8db6b72c37cdf4cf"
    case managerUnreachable = "f37db61b2a7d4246a24734d5a1602e5c"
    case loopFailed = "b9aa6a5b82b94dbd9a971df0a76ab085"

    case attempt = "a70ba0656d724db1b3741607ef781d38"
    case connected = "4a28944a833c4598a5540c85d2036107"
    case upstreamEnded = "1e94ce4c43f64c5f9a4a231b0507c395"
    case upstreamComplete = "c21b875e644841a0a3d8fdebccbd5d8f"
    case networkChanged = "e7a1a341149045fe98302559e2056af2"
    case probing = "e890041ef4664c639af107928f9b6d93"
    case upstreamAway = "4afeff0d7f814586a07b3eacbde8b3a2"
    case upstreamStillAway = "fa7ecc15cd7c46d6a67c3a0d93c35d3d"

    case unverified = "72845cc47c864cf6bf78f0adfee27eef"
    case certificateExpires = "e5d1ac42558f43a791ac2f4136336231"

    case clientConnected = "7e461a74eaf84a639ef1bab12ae2ddb1"
    case clientLeft = "23b34318ec0241318704c02f5055d864"
    case clientDisconnected = "b3c51490cbff4d56810f2da6cf43c009"
    case clientRefused = "f775284db2a74611896b150c9397382a"
    case clientSkips = "e0e3f067807d456896b3a718d5cc857e"
    case clientMissed = "14cc5f13cdb5484e901330e22c646fa3"
    case acceptingPaused = "150f797167a14d5fa0a97fc95164e122"
    case acceptingResumed = "f76c9c11f2a648dea2f62a947882fc61"
    case socketGone = "a838822b8b7b4899a8b81d6c0e897d7d"

    case discarded = "0099492d71af4eaea4c72f6a2b17a9d3"
    case unrepresentable = "d8d1c8ef4f7e4ab0a9d0a2c3b6e51f27"
    case leftOut = "55567c97c42a4971a8d1d24b62e461cd"
    case linesLost = "b17b159f279843c1842c21a8673430ce"

    case notReloaded = "8d3ae645ac45470e9493a987f681fcd5"
    case disconnecting = "1351b80df5db4666929c7e9dfeb078a9"
    case logLevelSet = "2e94c3d5016d45f0bd18dcb83ba02401"
    case reconnecting = "4e0367e0846f4b319fcf5454a3d411c1"
    case stopping = "4ee9163b7def45bba8a314df52bcf0b8"
    case stopped = "7fc933485b44410fb31f12058fd0c32b"
}
