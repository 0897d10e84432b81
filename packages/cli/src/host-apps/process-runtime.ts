import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { AppRelease, AppVolumes } from '@svc/core/adapters'
import type { AppsRecord } from './apps-file.ts'
import { ChildSlot } from './child-slot.ts'
import { runChildTask } from './child-task.ts'
import { type FindApp, FRONT_PORT, Front } from './front.ts'
import type { Runtime } from './runtime.ts'
import type { Slot, SlotParts, Timing } from './slot.ts'
import type { Task, TaskFault } from './task.ts'
import { filledFolders, volumesFolder, volumeVariables } from './volumes.ts'

/** Inputs of the runtime of a host without another one. */
export interface ProcessRuntimeParts {
  readonly record: AppsRecord
  readonly apps: string
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
  readonly databases = undefined
  readonly data = undefined
  readonly images = undefined
  readonly builds = undefined
  readonly install = undefined
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
    return new ChildSlot({ ...parts, env: this.#env(parts) }, this.#parts.timing)
  }

  async run(task: Task, signal: AbortSignal, isLeft = false): Promise<TaskFault> {
    if (isLeft) return 'it ended with the supervisor that started it'
    return runChildTask({ ...task, env: this.#env(task) }, signal)
  }

  /** Containers are run on a server alone. */
  hostOf(): string {
    return '127.0.0.1'
  }

  addressOf(app: string): string {
    return `http://${app}.localhost:${this.frontPort}`
  }

  portsOf(): object {
    return {}
  }

  // The front asks for the live release at each request.
  async admit(): Promise<void> {}
  async route(): Promise<void> {}
  async ready(): Promise<void> {}
  async forget(): Promise<void> {}

  dataOf(app: string): readonly string[] {
    return filledFolders([volumesFolder(this.#parts.apps, app)])
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#front[Symbol.asyncDispose]()
  }

  #env({ app, volumes, env }: Pick<Task, 'app' | 'volumes' | 'env'>): Record<string, string> {
    const { apps, host, mark } = this.#parts
    return { ...host, ...env, ...placedVolumes(apps, app, volumes), ...mark }
  }
}

/**
 * Makes the volumes of an application, and returns the variables that say where they are: without systemd
 * none can stand at its own path.
 */
export function placedVolumes(apps: string, app: string, volumes: AppVolumes): Record<string, string> {
  const placeOf = (name: string) => join(volumesFolder(apps, app), name)
  for (const name of Object.keys(volumes)) mkdirSync(placeOf(name), { recursive: true, mode: 0o700 })
  return volumeVariables(volumes, placeOf)
}
