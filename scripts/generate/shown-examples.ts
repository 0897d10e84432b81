import type { Example } from '@svc/http'

/** Entries of a list that an example shows. */
const MOST_ENTRIES = 2

/** Texts that no reader should copy, or that differ in every run, and the texts that stand for them. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/^planted .{1,60}$/, 'a password of yours'],
  [/^planted-.{1,60}$/, 'a token of the provider'],
  [/^(svc(?:at|b|e)?_)[\w-]{40,60}$/, '$1…'],
  [/^(whsec_)[\w+/=]{40,60}$/, '$1…'],
  [/^(svct_v1\.)[\w.-]{40,900}$/, '$1…'],
  [/^eyJ[\w.-]{40,900}$/, 'eyJ…'],
  [/^(svc_session=v1\.).{40,200}$/, '$1…'],
  [/^(t=\d+,v1=)[0-9a-f]{64}$/, '$1…'],
  [/\b(p=MII)[\w+/=]{40,900}/, '$1…'],
  [/^(https:\/\/hooks\.example\/)0\.\d+$/, '$1orders'],
]

/** The names of the scene, and the names that stand for them. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/(^|[-/:@_])own(?=[-.:]|$)/g, '$1acme'],
  [/([-/:@_])other(?=[-.:]|$)|^other(?=[-.:])/g, '$1globex'],
  [/-lic_[0-9a-z]{1,26}$/, '-1'],
  [/\blic-[0-9a-z]{26}(?=\.example$)/, 'shop'],
  [/\bstaged-app\b/g, 'shop'],
  [/\bghcr\.io\b/g, 'registry.example.com'],
]

/** Fields with times that differ in every run, in milliseconds, and the time that stands for them. */
const MEASURED: ReadonlySet<string> = new Set(['duration_ms', 'latency_ms'])
const USUAL_MS = 4

/** Lists whose first entry is about the scene; the others are about this machine. */
const OF_THE_MACHINE: ReadonlySet<string> = new Set(['findings'])

const told = (text: string): string =>
  [...SECRETS, ...NAMES].reduce((said, [pattern, words]) => said.replace(pattern, words), text)

/** Returns a value with its secrets shortened, with other names, and with lists cut short. */
function cut(value: unknown, most: number): unknown {
  if (typeof value === 'string') return told(value)
  if (Array.isArray(value)) return value.slice(0, most).map((each) => cut(each, most))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      if (MEASURED.has(name)) return [name, USUAL_MS]
      return [name, cut(OF_THE_MACHINE.has(name) && Array.isArray(each) ? each.slice(0, 1) : each, most)]
    }),
  )
}

/** Returns an example as the document has it: a request whole, an answer with the beginning of each list. */
export function shown({ status, request, answer }: Example): Example {
  return {
    status,
    ...(request !== undefined && { request: cut(request, Number.POSITIVE_INFINITY) }),
    ...(answer !== undefined && { answer: cut(answer, MOST_ENTRIES) }),
  }
}
