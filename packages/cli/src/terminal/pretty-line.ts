import { paint, plain, safeJson } from './terminal.ts'

const PAINT = { warn: 'yellow', error: 'red', fatal: 'red', debug: 'dim', trace: 'dim' } as const
const LEVEL_CHARS = 5

/** A JSON log line as a person reads it: time, level, message, then `name=value`. */
export function prettyLine(json: string, colour: boolean): string {
  const { level, time, msg, ...fields } = JSON.parse(json) as Record<string, unknown>
  const tint = (text: string, as: Parameters<typeof paint>[1]) => (colour ? paint(text, as) : text)
  const name = plain(String(level))
  const shownLevel = name.toUpperCase().padEnd(LEVEL_CHARS)
  const facts = Object.entries(fields).map(
    ([key, value]) => ` ${tint(`${plain(key)}=`, 'dim')}${spell(value)}`,
  )
  const clock = plain(String(time).slice(11, 19))
  return `${tint(clock, 'dim')} ${tint(shownLevel, PAINT[name as keyof typeof PAINT])} ${plain(String(msg))}${facts.join('')}\n`
}

function spell(value: unknown): string {
  if (typeof value === 'string') return plain(value)
  const error = value as { name?: unknown; message?: unknown } | null
  if (typeof error?.message === 'string') return plain(`${error.name}: ${error.message}`)
  return safeJson(JSON.stringify(value))
}
