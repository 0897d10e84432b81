/**
 * Parts a line into words as a shell does, without anything else that a shell does.
 * Returns undefined for a line that ends within quotes.
 */
export function wordsOf(line: string): readonly string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let at = 0; at < line.length; at += 1) {
    const char = line.charAt(at)
    if (quote === '' && /\s/.test(char)) {
      if (word !== undefined) words.push(word)
      word = undefined
      continue
    }
    word ??= ''
    if (char === quote) quote = ''
    else if (quote === '' && (char === '"' || char === "'")) quote = char
    else if (char === '\\' && quote !== "'") {
      at += 1
      const next = line.charAt(at)
      word += quote === '"' && !'"\\$`'.includes(next) ? `\\${next}` : next
    } else word += char
  }
  if (quote !== '') return undefined
  return word === undefined ? words : [...words, word]
}

const UNITS = { ms: 0.001, us: 0.000001, s: 1, m: 60, h: 3_600 } as const

/** Seconds of a duration such as `1m30s`, rounded up; undefined for another text. */
export function secondsOf(text: string): number | undefined {
  if (!/^(?:\d{1,9}(?:\.\d{1,3})?(?:ms|us|s|m|h)){1,5}$/.test(text)) return undefined
  const parts = text.match(/\d{1,9}(?:\.\d{1,3})?[a-z]{1,2}/g) ?? []
  const sum = parts.reduce((all, part) => {
    const unit = part.replace(/[\d.]+/, '') as keyof typeof UNITS
    return all + Number.parseFloat(part) * UNITS[unit]
  }, 0)
  return Math.ceil(sum)
}

const SIZES: Readonly<Record<string, number>> = { '': 1, b: 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 }

/** Megabytes of a size such as `512m` or `2gb`, rounded up; undefined for another text. */
export function megabytesOf(text: string): number | undefined {
  const [, number, unit = ''] = /^(\d{1,15}(?:\.\d{1,3})?) ?([bkmg]?)b?$/i.exec(text) ?? []
  const factor = SIZES[unit.toLowerCase()]
  if (number === undefined || factor === undefined) return undefined
  return Math.max(1, Math.ceil((Number.parseFloat(number) * factor) / 2 ** 20))
}
