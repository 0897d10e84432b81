/** What a part answers to, by name. Inputs and answers travel as JSON. */
export type Commands = Readonly<Record<string, (input: never) => unknown>>

/** Something that is measured, or measures, in a process of its own: a server, a load, a loop. */
export interface Part {
  /** Where it is reached, when it listens. */
  readonly url?: string
  readonly commands?: Commands
  stop(): Promise<void>
}

/** What a part's module exports: `start` makes it from options that travelled as JSON. */
export type StartPart<Options> = (options: Options) => Promise<Part>

/** Processor time and memory of a part's process. */
export interface Usage {
  readonly cpuMicros: number
  readonly rssBytes: number
}
