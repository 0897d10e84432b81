import { settingsMarkdown } from '@svc/core/ports'
import { openApiDocument } from '@svc/http'
import { apiTypes } from './api-types.ts'
import { columnsPage } from './columns-page.ts'
import { commandsPage } from './commands-page.ts'
import { documentText } from './document-text.ts'
import { recordedExamples } from './examples.ts'
import { httpPage } from './http-page.ts'
import { licenseKeyPage } from './license-key-page.ts'
import { metricsPage } from './metrics-page.ts'
import { namesPage } from './names-page.ts'
import { operationsPage } from './operations-page.ts'
import { planePage } from './plane-page.ts'
import { readingModule, summariesModule } from './summaries-module.ts'

/**
 * Returns the generated sources by their path. They are written before the pages are made, since the program
 * that the page of commands shows reads them.
 */
export const generatedSources = (): ReadonlyMap<string, string> =>
  new Map([
    ['packages/cli/src/connect/operation-summaries.ts', summariesModule()],
    ['packages/http/src/client/reading-operations.ts', readingModule()],
  ])

/** Returns the text of every generated file by its path in the checkout. It depends on the code alone. */
export async function generatedPages(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ...generatedSources(),
    ['packages/core/src/wiring/api.ts', apiTypes()],
    ['docs/reference/settings.md', settingsMarkdown()],
    ['docs/reference/http.md', httpPage()],
    ['docs/reference/license-key.md', licenseKeyPage()],
    ['docs/reference/operations.md', operationsPage()],
    ['docs/reference/openapi.json', documentText(openApiDocument(undefined, await recordedExamples()))],
    ['docs/reference/columns.md', await columnsPage()],
    ['docs/reference/commands.md', await commandsPage()],
    ['docs/reference/metrics.md', await metricsPage()],
    ['docs/reference/plane.md', await planePage()],
    ['docs/reference/public-names.md', namesPage()],
  ])
}

/** Returns the paths of generated files that differ on disk or are missing. */
export function stalePages(
  pages: ReadonlyMap<string, string>,
  readText: (path: string) => string | undefined,
): readonly string[] {
  return [...pages].filter(([path, text]) => readText(path) !== text).map(([path]) => path)
}
