import { type Command, inspectedProgram } from '../../scripts/generate/command-tree.ts'
import type { Page } from './page.ts'
import { commandsIn } from './shell-words.ts'

/** A command as a page names it. A fenced one is whole: it could be pasted into a shell. */
export interface Named {
  readonly words: readonly string[]
  readonly at: string
  readonly isWhole: boolean
}

/**
 * The commands of a page: in its shell blocks, behind a `$` of a console block, and in code in a sentence.
 */
export function commandsOf({ path, blocks, prose }: Page): readonly Named[] {
  const fenced = blocks.flatMap(({ language, text, line }) => {
    const shell = language === 'console' ? prompted(text) : ['sh', 'bash'].includes(language) ? text : ''
    return commandsIn(shell).map((words) => ({ words, at: `${path}:${line}`, isWhole: true }))
  })
  const inline = prose.flatMap((line, index) =>
    [...line.matchAll(/`([^`]+)`/g)]
      .filter(([, code = '']) => /^(?:\w+=\S+ )*(?:npx |npm |svc )/.test(code))
      .flatMap(([, code = '']) => commandsIn(code))
      .map((words) => ({ words, at: `${path}:${index + 1}`, isWhole: false })),
  )
  return [...fenced, ...inline]
}

// Returns the commands behind a `$` prompt, with the lines that a backslash or an open quote continues.
function prompted(text: string): string {
  return [...text.matchAll(/^\$ ((?:.*\\\n)*.*)$/gm)].map(([, command = '']) => command).join('\n')
}

/** Scripts and binaries of a checkout. */
export interface Offer {
  readonly scripts: readonly string[]
  readonly binaries: readonly string[]
}

const NPM_OWN = ['audit', 'ci', 'exec', 'install', 'ls', 'sbom']
const { program } = await inspectedProgram()

/** Returns the fault of a command; undefined if it exists or is not ours. */
export function faultOf({ words, isWhole }: Named, { scripts, binaries }: Offer): string | undefined {
  const [first = '', second = '', ...rest] = words
  const known = (name: string) => (scripts.includes(name) ? undefined : `package.json has no script ${name}`)
  if (first === 'svc') return svcFault(words.slice(1), isWhole)
  if (first === 'npx') {
    if (second === 'svc') return svcFault(rest, isWhole)
    return binaries.includes(second) ? undefined : `no installed package brings ${second}`
  }
  if (first !== 'npm') return undefined
  if (second === 'start' || second === 'test') return known(second)
  const flagless = rest.filter((word) => word !== '--silent')
  if (second !== 'run') return NPM_OWN.includes(second) ? undefined : `npm ${second} is not a command we use`
  const [script = '', ...passed] = flagless
  return script === 'svc' && passed[0] === '--' ? svcFault(passed.slice(1), isWhole) : known(script)
}

function svcFault(words: readonly string[], isWhole: boolean): string | undefined {
  const until = words.findIndex((word) => word === '…' || word === '...')
  const given = until === -1 ? words : words.slice(0, until)
  let command: Command = program
  let place = 0
  for (; place < given.length; place += 1) {
    const next = command.commands.find((each) => each.name() === given[place])
    if (next === undefined) break
    command = next as Command
  }
  if (command.commands.length > 0 && given[place] === 'help') return undefined
  const isGroup = command.commands.length > 0 && command.registeredArguments.length === 0
  if (isGroup && place < given.length && !given[place]?.startsWith('-')) {
    return `svc has no command ${given.slice(0, place + 1).join(' ')}`
  }
  return argumentFault(command, given.slice(place), isWhole && until === -1)
}

const OWN_FLAGS = ['-h', '--help', '-V', '--version']

function argumentFault(command: Command, words: readonly string[], isWhole: boolean): string | undefined {
  let count = 0
  const given = new Set<string>()
  for (let place = 0; place < words.length; place += 1) {
    const [flag = '', inlineValue] = (words[place] ?? '').split('=', 2)
    if (flag === '--') {
      count += words.length - place - 1
      break
    }
    if (!/^--?[a-z]/i.test(flag)) {
      count += 1
      continue
    }
    if (OWN_FLAGS.includes(flag)) return undefined
    const option = command.options.find(({ long, short }) => long === flag || short === flag)
    if (option === undefined) return `svc ${command.name()} has no flag ${flag}`
    given.add(option.long ?? flag)
    if ((option.required || option.optional) && inlineValue === undefined) place += 1
    if (place >= words.length) return `${flag} needs a value`
  }
  if (!isWhole) return undefined
  const wanted = command.registeredArguments
  const missing = wanted.filter(({ required }) => required).length - count
  if (missing > 0 || (count > wanted.length && !wanted.at(-1)?.variadic)) {
    return `svc ${command.name()} takes ${wanted.length} arguments, not ${count}`
  }
  const absent = command.options.find(({ mandatory, long = '' }) => mandatory && !given.has(long))
  return absent === undefined ? undefined : `svc ${command.name()} needs ${absent.long}`
}
