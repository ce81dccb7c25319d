import Foundation
import Testing

/// Runs the tests of a suite on threads of their own.
///
/// All tests share as many threads as there are processors, and one that waits for another process holds its thread
/// meanwhile: a suite of those would leave the processors idle.
struct WaitingThreads: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func scopeProvider(for test: Test, testCase: Test.Case?) -> WaitingThreads? {
        testCase == nil ? nil : self
    }

    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(Threads.all) { try await function() }
    }
}

extension Trait where Self == WaitingThreads {
    static var waits: WaitingThreads { WaitingThreads() }
}

private final class Threads: TaskExecutor {
    static let all = Threads()
    private let queue = OperationQueue()

    private init() { queue.maxConcurrentOperationCount = 2 * ProcessInfo.processInfo.activeProcessorCount }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.addOperation { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
