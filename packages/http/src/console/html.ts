import { type raw, html as tag } from 'hono/html'

/** A piece of a page. Only `html` makes one, so texts cannot pass for it. */
export type Html = ReturnType<typeof raw>

/** The things that a template takes: texts are escaped and tamed; `false` and `undefined` are left out. */
export type Part = Html | string | number | false | undefined | readonly Part[]

// Control characters except tabs and line ends, and the marks that change the writing direction and can make
// a text look like another.
const UNTAMED = /[^\P{Cc}\t\n]|\p{Bidi_Control}/gu

/** Returns a text with a dot in place of each character that would disguise or control what is read. */
export const tame = (text: string): string => text.replace(UNTAMED, '·')

/**
 * The template of every page. Attributes stand in double quotes. Texts of hosts, agents, repositories and
 * visitors need no care of the page: here is the one place that escapes and tames them.
 */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  tag(strings, ...parts.map(safe)) as Html

function safe(part: Part): unknown {
  if (typeof part === 'string') return tame(part)
  return Array.isArray(part) ? part.map(safe) : part
}

/** Joins pieces with a text between them. */
export const joined = (parts: readonly Part[], between: string): readonly Part[] =>
  parts.flatMap((part, index) => (index === 0 ? [part] : [between, part]))

/** Returns a text with a capital at its start. */
export const startCase = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
