import type { AppContainer, AppProcess, AppStop, AppVolumes } from '@svc/core/adapters'

/** Waits and times of a supervisor, in milliseconds. */
export interface Timing {
  /** How long a process without a port has to live to count as healthy. */
  readonly aliveMs: number
  /** First and longest wait before a process that ended is started again. */
  readonly backoffMs: number
  readonly backoffMaxMs: number
}

/** Waits and times of a supervisor, unless a test has others. */
export const TIMING: Timing = { aliveMs: 5_000, backoffMs: 1_000, backoffMaxMs: 30_000 }

/** Inputs of a slot. */
export interface SlotParts {
  readonly app: string
  readonly sha: string
  /** The number of the release. */
  readonly release: number
  readonly process: string
  readonly number: number
  readonly definition: AppProcess
  /** The container that it runs in; undefined for a program of the host. */
  readonly container?: AppContainer | undefined
  readonly stop: AppStop
  readonly folder: string
  readonly volumes: AppVolumes
  readonly env: Readonly<Record<string, string>>
  /** Folders of the host with sockets of its databases, which a container has at their places. */
  readonly sockets?: readonly string[]
  /** The addresses of services by their names. */
  readonly hosts?: Readonly<Record<string, string>>
  readonly onLine: (line: string) => void
}

/** The place of one instance: its successors take it when it ends. */
export interface Slot {
  readonly parts: SlotParts
  /** Whether the instance runs and was healthy. */
  readonly isUp: boolean
  readonly pid: number | undefined
  readonly port: number | undefined
  /** How often it ended and was started again. */
  readonly restarts: number
  /** Requests and connections of visitors that the instance answers now. */
  readonly open: number
  /** The last lines of its output, at most 50. */
  readonly lastLines: readonly string[]
  /** Starts the instance and waits until it is healthy. Returns why it is not; undefined when it is. */
  begin(signal: AbortSignal): Promise<string | undefined>
  /**
   * From now on the instance is started again whenever it ends. `isFresh`: it has to be started first, or is
   * one that an earlier supervisor left running. Resolves when that is known.
   */
  keep(isFresh: boolean): Promise<void>
  /** Ends the instance, and starts none any more. */
  stop(graceMs?: number): Promise<void>
}
