import type { Command } from 'commander'
import type { Run } from './declare.ts'

/** A command as the help of the whole program lists it. */
export interface ListedCommand {
  readonly name: string
  readonly summary: string
  /** The arguments, as commander writes them. */
  readonly args?: string
  /** Whether the command has commands of its own, and no options. */
  readonly isGroup?: true
  /** Loads the function that declares the command's arguments and options. */
  load(): Promise<(program: Command, run: Run) => void>
}
