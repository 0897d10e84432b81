import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ContentPages } from '@svc/core'

const near = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** The pages that visitors are answered from: those for customers, then the one for authors of agents. */
export const DOCS_PAGES: ContentPages = { customers: 1, 'agents.md': 0.5 }

/**
 * The documentation, which the support chat answers from: the package brings it along; from sources it is
 * that of the repository. Undefined when it is at neither place.
 */
export function docsFolder(): string | undefined {
  const packed = near('../docs')
  if (existsSync(packed)) return packed
  // Three folders up may be anybody's once this is installed: only the repository has this file there.
  return existsSync(near('../../../lerna.json')) ? near('../../../docs') : undefined
}
