import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { codeOf, lineAt } from '../layers/source.ts'
import { DRAW_RULES, type DrawRule } from './draw-rules.ts'
import type { ListedFault } from './fault.ts'

/** A source with the parts that are blanked out of it: comments, and texts. */
interface Text {
  readonly path: string
  readonly text: string
  readonly code: string
}

const SEED_STEP = 0x6d2b79f5

/** Random numbers from 0 to below 1 that a seed decides (the generator is Tommy Ettinger's mulberry32). */
export function drawnBy(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + SEED_STEP) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * Draws faults by rules: first the rule, so that rare kinds come as often as frequent ones, then a source,
 * then a place in it. One seed draws the same faults of the same sources. Each names the suites of its
 * feature.
 */
export function drawnFaults(root: string, count: number, seed: number): readonly ListedFault[] {
  const random = drawnBy(seed)
  const sources = globSync('packages/{core,http,cli}/src/**/*.ts', { cwd: root })
    .filter((path) => !/\/migrations\/|operation-summaries/.test(path))
    .toSorted()
    .map((path): Text => {
      const text = readFileSync(join(root, path), 'utf8')
      return { path, text, code: codeOf(text) }
    })
  const suites = globSync('packages/*/test/**/*.test.ts', { cwd: root }).toSorted()
  const faults = new Map<string, ListedFault>()
  for (let tries = 0; faults.size < count && tries < count * 50; tries += 1) {
    const fault = draw(random, sources, suites)
    if (fault !== undefined) faults.set(fault.name, fault)
  }
  return [...faults.values()]
}

function draw(
  random: () => number,
  sources: readonly Text[],
  suites: readonly string[],
): ListedFault | undefined {
  const one = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)]
  const rule = one(DRAW_RULES) as DrawRule
  const source = one(
    sources.filter(({ path, text }) => rule.where.test(path) && text.search(rule.right) >= 0),
  )
  const match = source && one(placesOf(rule, source))
  if (source === undefined || match === undefined) return undefined
  const wrong = rule.wrong(match, source.text)
  const its = suitesOf(source.path, suites)
  if (wrong === undefined || wrong === match[0] || its.length === 0) return undefined
  const line = lineAt(source.text, match.index + match[0].search(/\S/))
  const piece = uniquePiece(source.text, match.index, match.index + match[0].length)
  return {
    list: 'drawn',
    name: `${source.path}:${line} ${rule.name}: ${match[0].trim().slice(0, 90)}`,
    file: source.path,
    find: piece.text,
    replace: piece.text.slice(0, piece.from) + wrong + piece.text.slice(piece.from + match[0].length),
    suites: its,
  }
}

/** Places of a rule, without those in comments, and without those in texts unless they are meant. */
function placesOf({ right, inTexts = false }: DrawRule, { text, code }: Text): readonly RegExpExecArray[] {
  return [...text.matchAll(right)].filter(({ index, 0: found }) => {
    const at = index + found.search(/\S/)
    const isCode = code[at] === text[at]
    return isCode !== inTexts && !/^\s*(?:\/\/|\/?\*)/.test(lineOf(text, at))
  })
}

const lineOf = (text: string, at: number) => text.slice(text.lastIndexOf('\n', at - 1) + 1, at + 1)

/** Widens a piece line by line until it stands in the source once. */
function uniquePiece(
  text: string,
  from: number,
  to: number,
): { readonly text: string; readonly from: number } {
  let [start, end] = [from, to]
  while (text.split(text.slice(start, end)).length > 2) {
    start = Math.max(text.lastIndexOf('\n', start - 2) + 1, 0)
    end = text.indexOf('\n', end + 1) < 0 ? text.length : text.indexOf('\n', end + 1)
  }
  return { text: text.slice(start, end), from: from - start }
}

/** Other names under which suites of a feature stand. */
const KIN: Readonly<Record<string, readonly string[]>> = {
  access: ['relay', 'ssh'],
  relay: ['access'],
  webhook: ['deliver'],
  deliver: ['webhook', 'email'],
  security: ['firewall', 'sshd'],
  surface: ['scan'],
  job: ['claim'],
  run: ['agent/jobs', 'handler', 'log', 'lifecycle'],
  agent: ['heartbeat', 'fleet'],
  wire: ['agent/'],
}
/** Folders that say nothing of a feature. */
const LEVELS =
  /^(?:src|agent|commands|routes|config|settings|wiring|program|rules|domains|sending|delivery|store|http)$/

/**
 * Returns the suites of the feature that a source is about: those whose path has the name of its folder or
 * file, or a kindred one; else the suites of its folder, else none.
 */
export function suitesOf(path: string, suites: readonly string[]): readonly string[] {
  const [, pack = '', , ...rest] = path.split('/')
  const words = [...rest.slice(0, -1), basename(path, '.ts')]
  const word = words.find((each) => !LEVELS.test(each)) ?? ''
  const stem = word.replace(/(?:ies|es|s|y)$/, '').replace(/-.*(?=-)/, '')
  const stems = [stem === 'agent' ? '/agents/' : stem, ...(KIN[stem] ?? [])].filter((each) => each.length > 2)
  // Tables over all commands.
  const ofCommands = path.startsWith('packages/cli/src/commands/')
    ? suites.filter((suite) => suite.startsWith('packages/cli/test/terminal/'))
    : []
  const found = suites.filter(
    (suite) => stems.some((each) => suite.includes(each)) && !ofCommands.includes(suite),
  )
  return found.length + ofCommands.length > 0
    ? [...found, ...ofCommands]
    : suites.filter((suite) => suite.startsWith(`packages/${pack}/test/${rest[0]}`))
}
