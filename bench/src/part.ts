/** The commands of a part, by name. Inputs and answers travel as JSON. */
export type Commands = Readonly<Record<string, (input: never) => unknown>>

/** A server, load generator or loop that runs in a process of its own. */
export interface Part {
  /** Its URL, when it listens. */
  readonly url?: string
  readonly commands?: Commands
  stop(): Promise<void>
}

/** The function `start` of a part's module: makes the part from options that travelled as JSON. */
export type StartPart<Options> = (options: Options) => Promise<Part>

/** Processor time and memory of a part's process. */
export interface Usage {
  readonly cpuMicros: number
  readonly rssBytes: number
}
