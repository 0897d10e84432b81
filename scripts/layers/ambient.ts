import { lineAt } from './source.ts'
import type { Fault, Workspace } from './workspace.ts'

interface Ambient {
  readonly what: string
  readonly pattern: RegExp
  readonly allowed: RegExp
  readonly mend: string
}

// Ways to reach the world outside the process, and the files that may use them (architecture, rules 4, 5,
// 10).
const AMBIENTS: readonly Ambient[] = [
  {
    what: 'the wall clock',
    pattern: /\bDate\s*\.\s*now\b|\bnew\s+Date\b(?!\s*\(\s*[^\s)])|(?<![\w.]|\bnew\s)\bDate\s*\(/g,
    allowed: /^packages\/core\/src\/kernel\/clock\.ts$/,
    mend: 'Take the time from a Clock, or let the statement say now().',
  },
  {
    what: 'Math.random',
    pattern: /\bMath\s*\.\s*random\b/g,
    // The agent and the client only spread retries with it, which needs no repeatable source and no secret.
    allowed: /^packages\/(?:cli\/src\/agent\/|http\/src\/client\/retries\.ts$)/,
    mend: 'Take identifiers and secrets from Ids.',
  },
  {
    what: 'process.env',
    pattern: /\bprocess\s*\.\s*env\b/g,
    allowed: /^packages\/cli\/src\/terminal\/io\.ts$/,
    mend: 'Only cli/src/terminal/io.ts reads the environment: take settings as arguments.',
  },
  {
    what: 'a listening socket',
    pattern: /\.\s*listen\s*\(/g,
    // The lock of a data folder listens at a file in it, and answers nothing (decision 63).
    allowed:
      /^packages\/(?:cli\/|core\/src\/platform\/database\/lock-socket\.ts$|http\/src\/server\/server\.ts$|testing\/src\/(?:.*\/)?serve\.ts$)/,
    mend: 'Only cli opens sockets, through http/src/server/server.ts: answer a handler and let the caller listen.',
  },
  {
    what: 'a stream of the process',
    pattern:
      /\bprocess\s*\.\s*(?:stdout|stderr|stdin|_rawDebug|emitWarning)\b|\bconsole\s*\.|\bwriteSync\s*\(\s*(?:[12]\b|STD)/g,
    // While the main thread is stuck, the watch thread writes one line of its own.
    allowed: /^packages\/cli\/(?:src\/(?:terminal\/io|thread-watch-worker)\.ts|bin\/)/,
    mend: 'Text goes out by the Output of cli/src/terminal/io.ts alone, which takes out what commands a terminal.',
  },
  {
    what: 'text that goes to a terminal untamed',
    pattern: /\.\s*writeRaw\s*\(/g,
    allowed: /^packages\/cli\/src\/commands\/jobs\/follow\.ts$/,
    mend: 'Only svc jobs logs --raw asks for it: write by write().',
  },
  {
    what: 'a signal handler',
    pattern: /\bprocess\s*\.\s*(?:on|once|addListener)\s*\(/g,
    allowed: /^packages\/cli\//,
    mend: 'Only cli belongs to the process: offer a method that cli calls.',
  },
]

/** Rules 4, 5 and 10: time, randomness, environment, sockets and signals come from arguments. */
export function checkAmbient({ sources }: Workspace): Fault[] {
  return sources.flatMap(({ path, code }) =>
    AMBIENTS.filter(({ allowed }) => !allowed.test(path)).flatMap(({ what, pattern, mend }) =>
      [...code.matchAll(pattern)].map((match) => ({
        path,
        line: lineAt(code, match.index),
        rule: 'ambient',
        message: `${what} has no place here. ${mend}`,
      })),
    ),
  )
}

const STREAM_MODULES = /^(?:node:)?(?:process|console|tty)$/

/** Forbids importing a stream of the process from a module, so that text has one way out. */
export function checkStreams({ sources }: Workspace): Fault[] {
  return sources.flatMap(({ path, imports }) =>
    imports
      .filter(({ specifier, runtime }) => runtime && STREAM_MODULES.test(specifier))
      .map(({ line, specifier }) => ({
        path,
        line,
        rule: 'ambient',
        message: `${specifier} has no place here. Text goes out by the Output of cli/src/terminal/io.ts alone.`,
      })),
  )
}

const LINES_MAX = 350

/** Section 8: no file over 350 lines. */
// A list of public names, or of operations, is one concept, however many features have names in it.
const NAMES_ALONE = /\/src\/(?:index|ports|wiring\/api|connect\/operation-summaries)\.ts$/

export function checkLength({ sources }: Workspace): Fault[] {
  return sources
    .filter(({ path, lines }) => lines > LINES_MAX && !NAMES_ALONE.test(path))
    .map(({ path, lines }) => ({
      path,
      line: LINES_MAX + 1,
      rule: 'too-long',
      message: `${lines} lines, at most ${LINES_MAX}: one concept per file.`,
    }))
}
