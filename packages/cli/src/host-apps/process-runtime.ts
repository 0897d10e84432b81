import type { AppRelease } from '@svc/core/adapters'
import type { AppsRecord } from './apps-file.ts'
import { ChildSlot } from './child-slot.ts'
import { runChildTask } from './child-task.ts'
import { type FindApp, FRONT_PORT, Front } from './front.ts'
import type { Runtime } from './runtime.ts'
import type { Slot, SlotParts, Timing } from './slot.ts'
import type { Task, TaskFault } from './task.ts'

/** Inputs of the runtime of a host without another one. */
export interface ProcessRuntimeParts {
  readonly record: AppsRecord
  /** Variables of the host that applications see. */
  readonly host: Readonly<Record<string, string>>
  /** The variable by which its processes are known. */
  readonly mark: Readonly<Record<string, string>>
  readonly timing: Timing
  /** The port that the front of a new folder tries first; 0: any. */
  readonly frontPort: number | undefined
}

/** Instances are children of the supervisor, and one front in its process leads visitors to them. */
export class ProcessRuntime implements Runtime {
  readonly outlives = false
  readonly domains = undefined
  readonly images = undefined
  readonly #parts: ProcessRuntimeParts
  readonly #front: Front

  private constructor(parts: ProcessRuntimeParts, front: Front) {
    this.#parts = parts
    this.#front = front
  }

  /** Opens the front. */
  static async open(parts: ProcessRuntimeParts, find: FindApp): Promise<ProcessRuntime> {
    const { record, frontPort = FRONT_PORT } = parts
    const { port } = record.current.front
    const front = await Front.open(port || frontPort, find)
    if (front.port !== port) await record.setPort(front.port)
    return new ProcessRuntime(parts, front)
  }

  get frontPort(): number {
    return this.#front.port
  }

  adapt(release: AppRelease): AppRelease {
    return release
  }

  slot(parts: SlotParts): Slot {
    const { host, mark, timing } = this.#parts
    return new ChildSlot({ ...parts, env: { ...host, ...parts.env, ...mark } }, timing)
  }

  async run(task: Task, signal: AbortSignal, isLeft = false): Promise<TaskFault> {
    const { host, mark } = this.#parts
    if (isLeft) return 'it ended with the supervisor that started it'
    return runChildTask({ ...task, env: { ...host, ...task.env, ...mark } }, signal)
  }

  addressOf(app: string): string {
    return `http://${app}.localhost:${this.frontPort}`
  }

  portOf(): undefined {}

  // The front asks for the live release at each request.
  async admit(): Promise<void> {}
  async route(): Promise<void> {}
  async ready(): Promise<void> {}
  async forget(): Promise<void> {}

  [Symbol.asyncDispose](): Promise<void> {
    return this.#front[Symbol.asyncDispose]()
  }
}
