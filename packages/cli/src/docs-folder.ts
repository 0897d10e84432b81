import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ContentPages } from '@svc/core'

const near = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/**
 * The pages that answer visitors, with their weights: pages for customers, then the page for authors of
 * agents.
 */
export const DOCS_PAGES: ContentPages = { customers: 1, 'agents.md': 0.5 }

/**
 * Returns the folder of the documentation, the source of the support chat's answers: the one in the package,
 * or the repository's when run from sources. Undefined when neither is there.
 */
export function docsFolder(): string | undefined {
  const packed = near('../docs')
  if (existsSync(packed)) return packed
  // In an installed package, three folders up may belong to anybody: only the repository has this file there.
  return existsSync(near('../../../lerna.json')) ? near('../../../docs') : undefined
}
