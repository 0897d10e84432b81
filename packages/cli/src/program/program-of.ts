import { Command } from 'commander'
import { version } from '../shipped.ts'
import type { Io } from '../terminal/io.ts'
import { HELP_COMMAND, HELP_OPTION, VERSION_OPTION } from './help-words.ts'

/** Returns a program without commands, which says everything through `io` and never ends the process. */
export const programOf = (io: Io, name: string, summary: string): Command =>
  new Command(name)
    .description(summary)
    .version(version(), ...VERSION_OPTION)
    .helpOption(...HELP_OPTION)
    .helpCommand(...HELP_COMMAND)
    // Options behind the name of a command are that command's: svc ssh and svc ssh sessions share some.
    .enablePositionalOptions()
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => io.out.write(text),
      writeErr: (text) => io.err.write(text),
      outputError: (text, write) => write(text.replace(/^error: /, 'svc: ')),
      getOutHelpWidth: () => io.out.columns,
      getErrHelpWidth: () => io.err.columns,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
