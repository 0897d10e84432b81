import { existsSync, statSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import type { Page } from './page.ts'

const withoutCode = (line: string): string => line.replaceAll(/(`+)(?!`).*?[^`]\1(?!`)/g, '')

/** The text of a heading as it is shown. */
const shown = (heading: string): string =>
  heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '')

/** The anchors of a page as renderers make them; a heading that comes again gets a number. */
export function anchorsOf({ prose }: Page): ReadonlySet<string> {
  const anchors = new Set<string>()
  for (const line of prose) {
    const [, heading] = /^#{1,6}\s+(.*?)\s*#*$/.exec(line) ?? []
    if (heading === undefined) continue
    const anchor = shown(heading)
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-')
    let unique = anchor
    for (let again = 1; anchors.has(unique); again += 1) unique = `${anchor}-${again}`
    anchors.add(unique)
  }
  return anchors
}

/** A link of a page, with the line it stands on. */
export interface Link {
  readonly target: string
  readonly line: number
}

/** The links of a page, those in code left out. */
export function linksOf({ prose }: Page): readonly Link[] {
  return prose.flatMap((line, index) =>
    [...withoutCode(line).matchAll(/\]\(([^()\s]*)\)/g)].map(([, target = '']) => ({
      target,
      line: index + 1,
    })),
  )
}

/** Returns the faults of relative links as `path:line target: fault`, for a checkout at `root`. */
export function brokenLinks(pages: readonly Page[], root: string): readonly string[] {
  const anchors = new Map(pages.map((page) => [page.path, anchorsOf(page)]))
  return pages.flatMap((page) =>
    linksOf(page)
      .filter(({ target }) => !/^[a-z]+:/.test(target))
      .map(({ target, line }) => ({
        at: `${page.path}:${line} ${target}`,
        fault: faultOf(page.path, target),
      }))
      .filter(({ fault }) => fault !== undefined)
      .map(({ at, fault }) => `${at}: ${fault}`),
  )

  function faultOf(from: string, target: string): string | undefined {
    const [file = '', anchor] = target.split('#')
    const path = file === '' ? from : posix.normalize(posix.join(dirname(from), file))
    if (path.startsWith('..') || path.startsWith('/')) return 'leads out of the checkout'
    if (!existsSync(join(root, path)) && !anchors.has(path)) return 'there is no such file'
    if (anchor === undefined) return undefined
    if (anchors.has(path)) return anchors.get(path)?.has(anchor) ? undefined : 'the page has no such heading'
    return statSync(join(root, path)).isFile() ? undefined : 'a folder has no headings'
  }
}
