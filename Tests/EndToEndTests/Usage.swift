import Glibc

/// What a process uses, of what it should give back.
struct Usage {
    let descriptors: Int
    let threads: Int
    let watches: Int
    let memory: Int

    init(_ process: ChildProcess) {
        descriptors = process.descriptorCount
        threads = process.threadCount
        watches = process.watchCount
        memory = process.memory
    }

    /// There is more of what can be counted; memory is another matter.
    func hasGrown(since before: Usage) -> Bool {
        descriptors > before.descriptors || threads > before.threads || watches > before.watches
    }
}

extension ChildProcess {
    /// Waits until all that came is dealt with, and it takes next to no processor time. One that spins never does.
    func awaitRest() throws {
        try eventually("a process at rest, and not one that spins") {
            let start = processorTime
            var awake = 0
            for _ in 0..<10 {
                _ = poll(nil, 0, 15)
                // One that spins never sleeps, even where it hardly gets a processor.
                if !isAsleep { awake += 1 }
            }
            return awake <= 2 && processorTime - start <= .milliseconds(40)
        }
    }
}

extension Usage: CustomStringConvertible {
    var description: String {
        "\(descriptors) descriptors, \(threads) threads, \(watches) watches, \(memory >> 10) kB"
    }
}
