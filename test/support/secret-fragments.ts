/** So many characters in a row of a secret are a part of it, and no accident. */
export const FRAGMENT_CHARS = 12

const written = (secret: string): string => JSON.stringify(secret).slice(1, -1)

function* stretchesOf(text: string): Generator<string> {
  for (let start = 0; start + FRAGMENT_CHARS <= text.length; start += 1) {
    yield text.slice(start, start + FRAGMENT_CHARS)
  }
}

/**
 * Returns parts of secrets that stand in a JSON text: any 12 characters in a row, or the whole of a shorter
 * secret.
 */
export function fragmentsIn(json: string, secrets: readonly string[]): readonly string[] {
  const known = new Set(secrets.flatMap((secret) => [...stretchesOf(written(secret))]))
  const short = secrets.map(written).filter(({ length }) => length < FRAGMENT_CHARS)
  const found = [...stretchesOf(json)].filter((stretch) => known.has(stretch))
  return [...new Set([...found, ...short.filter((secret) => json.includes(secret))])]
}
