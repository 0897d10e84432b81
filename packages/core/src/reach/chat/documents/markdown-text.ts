/** Returns Markdown as plain text, without the characters that only format it. */
export function plainText(markdown: string): string {
  return markdown
    .replaceAll(/^ {0,3}(?:```|~~~).*$/gm, '')
    .replaceAll(/<!--[\s\S]{0,4000}?-->/g, '')
    .replaceAll(/!\[([^\]\n]{0,500})\]\([^)\n]{0,2000}\)/g, '$1')
    .replaceAll(/\[([^\]\n]{1,500})\]\([^)\n]{0,2000}\)/g, '$1')
    .replaceAll(/^ {0,3}(?:>|#{1,6})[ \t]*/gm, '')
    .replaceAll(/^[ \t]*\|?[ \t:|-]{3,}$/gm, '')
    .replaceAll(/^[ \t]*\|(.*)\|[ \t]*$/gm, (_, cells: string) =>
      cells
        .split('|')
        .map((cell) => cell.trim())
        .join(' · '),
    )
    .replaceAll(/(\*\*|__)(?=\S)(.{1,500}?\S?)\1/g, '$2')
    .replaceAll(/`{1,2}([^`\n]{1,500})`{1,2}/g, '$1')
    .replaceAll(/<([a-z][\w -]{0,40})>/gi, '[$1]')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

/** Fewer characters than this beside code and tables do not count as prose. */
const PROSE_CHARS = 60
const TABLE_ROW = /^[ \t]*\|.*$/gm
/** A line of a table of contents. */
const CONTENTS = /^[ \t]*[-*+][ \t]+\[[^\]\n]{1,500}\]\(#[^)\n]{0,500}\)[ \t]*$/gm
const CODE_BLOCK = /^ {0,3}(```|~~~)[\s\S]*?^ {0,3}\1[ \t]*$/gm

/**
 * Returns the sentences of Markdown as plain text, without code, tables and contents; undefined when there is
 * nothing else.
 */
export function proseOf(markdown: string): string | undefined {
  const prose = plainText(
    [CODE_BLOCK, TABLE_ROW, CONTENTS].reduce((text, each) => text.replaceAll(each, ''), markdown),
  )
  return prose.length < PROSE_CHARS ? undefined : prose
}

/** The number of a list item, whose point ends no sentence. */
const ITEM_NUMBER = /^([ \t]*\d{1,3})\.(?=[ \t])/gm
/** The mark at the end of a text that was cut at a word. */
const CUT = ' …'
const SENTENCE_END = /[.!?](?=\s|$)/g

/**
 * Returns the first sentences of a text, at least one, up to about `length` characters; a longer sentence is
 * cut at a word.
 */
export function firstSentences(text: string, length: number): string {
  const flat = text.replaceAll(ITEM_NUMBER, '$1)').replaceAll(/\s+/g, ' ').trim()
  let end = 0
  for (const { index } of flat.matchAll(SENTENCE_END)) {
    if (index >= length) break
    end = index + 1
  }
  if (end > 0) return flat.slice(0, end)
  if (flat.length <= length) return flat
  const blank = flat.lastIndexOf(' ', length)
  return `${flat.slice(0, blank > 0 ? blank : length)}${CUT}`
}

/** A list item, with its mark. */
const ITEM = /^[ \t]*(?:[-*+]|\d{1,3}\.)[ \t]/

/** Returns the paragraphs and list items of a text, each on one line. */
function blocksOf(text: string): string[] {
  const blocks: string[] = []
  let isOver = true
  for (const line of text.split('\n')) {
    const said = line.trim()
    if (said === '') isOver = true
    else if (isOver || ITEM.test(line)) {
      blocks.push(said)
      isOver = false
    } else blocks.push(`${blocks.pop() ?? ''} ${said}`)
  }
  return blocks
}

/**
 * Returns the beginning of a text: whole sentences and list items, at least one, up to about `length`
 * characters.
 */
export function opening(text: string, length: number): string {
  let said = ''
  for (const block of blocksOf(text)) {
    const room = length - said.length
    const part = block.length <= room ? block : firstSentences(block, room)
    if (said !== '' && (part.length > room || part.endsWith(CUT))) break
    said += said === '' ? part : `${ITEM.test(block) ? '\n' : '\n\n'}${part}`
    if (part.length < block.length) break
  }
  return said
}
