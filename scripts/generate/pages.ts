import { settingsMarkdown } from '@svc/core'
import { openApiDocument } from '@svc/http'
import { commandsPage } from './commands-page.ts'
import { httpPage } from './http-page.ts'
import { metricsPage } from './metrics-page.ts'

/**
 * Every generated file by its path from the checkout. The same code gives the same text, whoever runs it
 * where.
 */
export async function generatedPages(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['docs/reference/settings.md', settingsMarkdown()],
    ['docs/reference/http.md', httpPage()],
    ['docs/reference/openapi.json', `${JSON.stringify(openApiDocument(), undefined, 2)}\n`],
    ['docs/reference/commands.md', await commandsPage()],
    ['docs/reference/metrics.md', await metricsPage()],
  ])
}

/** The paths whose text on disk is another one, or that are missing there. */
export function stalePages(
  pages: ReadonlyMap<string, string>,
  readText: (path: string) => string | undefined,
): readonly string[] {
  return [...pages].filter(([path, text]) => readText(path) !== text).map(([path]) => path)
}
