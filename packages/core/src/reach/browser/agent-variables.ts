/** Values that a caller lends to a run, by name. Neither the model nor a log ever gets them. */
export type Variables = Readonly<Record<string, string>>

const USE = /%([a-z_]{1,32})%/g

/** Returns the text with the variables in it put in. Names that nobody lent stay as they are. */
export const withVariables = (text: string, variables: Variables): string =>
  text.replace(USE, (use, name: string) => (Object.hasOwn(variables, name) ? (variables[name] ?? use) : use))

/** Whether a text consists of variables alone, so that a model has made up none of it. */
export function isVariablesOnly(text: string, variables: Variables): boolean {
  const rest = text.replace(USE, (use, name: string) => (Object.hasOwn(variables, name) ? '' : use))
  return text !== '' && rest.trim() === ''
}

// A page may show a value in an address, in attributes of HTML, or as a string of JSON.
const spellingsOf = (value: string): readonly string[] => [
  value,
  encodeURIComponent(value),
  encodeURIComponent(value).replaceAll('%20', '+'),
  new URLSearchParams([['', value]]).toString().slice(1),
  JSON.stringify(value).slice(1, -1),
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
  value.replace(/\s+/g, ' ').trim(),
]

/** Takes the values of variables out of texts: each becomes `%name%` again. */
export class VariableMask {
  readonly #pairs: readonly (readonly [spelling: string, use: string])[]

  constructor(variables: Variables) {
    const pairs = Object.entries(variables).flatMap(([name, value]) =>
      [...new Set(spellingsOf(value))].map((spelling) => [spelling, `%${name}%`] as const),
    )
    // The longest goes first, so that a value inside of another does not leave a rest of it.
    this.#pairs = pairs
      .filter(([spelling]) => spelling !== '')
      .toSorted(([one], [other]) => other.length - one.length)
  }

  /** Returns the text without the values. */
  text(given: string): string {
    return this.#pairs.reduce((text, [spelling, use]) => text.replaceAll(spelling, use), given)
  }

  /** Returns a JSON value without the values, in names of fields too. */
  json(given: unknown): unknown {
    if (typeof given === 'string') return this.text(given)
    if (Array.isArray(given)) return given.map((each) => this.json(each))
    if (typeof given !== 'object' || given === null) return this.#scalar(given)
    return Object.fromEntries(
      Object.entries(given).map(([name, value]) => [this.text(name), this.json(value)]),
    )
  }

  // A PIN may come back as a number.
  #scalar(given: unknown): unknown {
    const text = String(given)
    return typeof given === 'number' && this.text(text) !== text ? this.text(text) : given
  }
}
