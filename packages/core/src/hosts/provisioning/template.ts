/** Placeholders of a template. */
export const PLACEHOLDERS = ['base_url', 'license_key', 'hostname', 'order_id', 'nonce'] as const
export type Placeholder = (typeof PLACEHOLDERS)[number]

/** Without these a server cannot report as the one that was ordered. */
const NEEDED: readonly Placeholder[] = ['base_url', 'license_key', 'order_id', 'nonce']

/** Longest user data that every provider takes, in bytes. */
export const MAX_USER_DATA_BYTES = 32_768

/** Room for the values, so that a template that passes its check can be rendered for every order. */
const VALUE_BYTES = 2048

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g

/** The characters of a value: none ends a quoted text of YAML or of a shell. */
const VALUE = /^[A-Za-z0-9._~:/@%+=,[\]-]{1,512}$/

/** Returns the faults of a template; empty if it can be rendered. */
export function templateFaults(template: string): readonly string[] {
  const names = [...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name)
  const unknown = names.filter((name) => !(PLACEHOLDERS as readonly string[]).includes(name))
  const lacking = NEEDED.filter((name) => !names.includes(name))
  const rest = template.replaceAll(PLACEHOLDER, '')
  const bytes = Buffer.byteLength(template) + names.length * VALUE_BYTES
  return [
    ...unknown.map((name) => `unknown placeholder {{${name.slice(0, 32)}}}`),
    ...(rest.includes('{{') ? ['a {{ that begins no placeholder'] : []),
    ...lacking.map((name) => `no {{${name}}}`),
    ...(template.includes('\0') ? ['a NUL character'] : []),
    ...(bytes > MAX_USER_DATA_BYTES
      ? [`longer than ${MAX_USER_DATA_BYTES - names.length * VALUE_BYTES} bytes with its values left out`]
      : []),
  ]
}

/** A value that cannot be written into a template. Its text is not told. */
export class UnfitValue extends Error {
  override readonly name = 'UnfitValue'
}

/**
 * Writes values into a template, each in single quotes, which YAML and shells read alike.
 * @throws UnfitValue for a value with a quote, a line break or another character that is not plain
 */
export function renderTemplate(template: string, values: Readonly<Record<Placeholder, string>>): string {
  for (const name of PLACEHOLDERS)
    if (!VALUE.test(values[name])) throw new UnfitValue(`${name} has a character that is not taken`)
  return template.replaceAll(PLACEHOLDER, (_, name: Placeholder) => `'${values[name]}'`)
}
