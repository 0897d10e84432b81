import type { AppContainer, AppProcess, AppStop, AppVolumes } from '@svc/core/adapters'

/** A command that comes to an end. */
export interface Command {
  /** One line of a shell; undefined: a container does as its image or its service says. */
  readonly command?: string | undefined
  /** Limits as a process has them. */
  readonly memory?: string | undefined
  readonly cpus?: number | undefined
  /** Seconds after which it is ended. */
  readonly timeoutS: number
  /** Its standard input; nothing comes without it. */
  readonly input?: AsyncIterable<Uint8Array> | undefined
}

/** A command of an application, with everything that it needs. */
export interface Task extends Command {
  readonly app: string
  /** No two tasks of an application with one name run at the same time. */
  readonly name: string
  readonly sha: string
  readonly folder: string
  readonly volumes: AppVolumes
  readonly env: Readonly<Record<string, string>>
  readonly stop: AppStop
  /** The container that it runs in; undefined for a program of the host. */
  readonly container?: AppContainer | undefined
  readonly capabilities?: AppProcess['capabilities']
  /** Folders of the host with sockets of its databases, which a container has at their places. */
  readonly sockets?: readonly string[]
  /** The addresses of services by their names. */
  readonly hosts?: Readonly<Record<string, string>>
  readonly onLine: (line: string) => void
}

/** The reason why a task did not end well; undefined when it did. */
export type TaskFault = string | undefined

/** The reason of a task that ran too long. */
export const tooLong = (seconds: number): string => `it ran longer than ${seconds} s, and was ended`
/** The reason of a task that was called off. */
export const CALLED_OFF = 'it was called off'
/** The fault of a task that is gone, and whose end was not noted. */
export const UNSEEN = 'nobody saw its end'
