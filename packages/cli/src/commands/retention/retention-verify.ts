import { Problem } from '@svc/core'
import { ArchiveFolder, type VerifiedFile } from '@svc/core/adapters'
import type { Handler } from '../../program/command-run.ts'
import { EXIT, type ExitCode } from '../../terminal/failure.ts'
import { type Page, table } from '../../terminal/render.ts'
import { bytesText } from '../images/image-table.ts'

/** Files between two lines about the progress. */
const NOTE_EVERY = 100

const filesTable = (files: readonly VerifiedFile[], page: Page): string =>
  table(
    [
      { title: 'FILE', text: ({ name }) => name },
      { title: 'LINES', text: ({ lines }) => String(lines) },
      { title: 'SIZE', narrow: 'leaves', text: ({ bytes }) => bytesText(bytes) ?? '' },
      {
        title: 'STATE',
        narrow: 'shrinks',
        text: ({ fault }) => fault ?? 'ok',
        colour: ({ fault }) => (fault === undefined ? 'green' : 'red'),
      },
    ],
    files,
    page,
  )

/** Reads an archive of this machine back. */
export const verifyArchive: Handler<object> = async (run): Promise<ExitCode> => {
  const folder = new ArchiveFolder(run.arg(0))
  const mark = await folder.mark().catch((error: Error) => {
    throw new Problem('not-found', { detail: `${folder.dir} cannot be read: ${error.message}` })
  })
  if (mark === undefined)
    throw new Problem('not-found', { detail: `${folder.dir} is no archive: it has no svc-archive.json` })
  const files: VerifiedFile[] = []
  for await (const file of folder.verify()) {
    files.push(file)
    if (files.length % NOTE_EVERY === 0) run.note(`${files.length} files read`)
  }
  run.print({ plane: mark, files }, (page) => filesTable(files, page))
  const bad = files.filter(({ fault }) => fault !== undefined).length
  if (bad > 0) run.hint(`${bad} of ${files.length} files are not as they were written.`)
  else if (files.length === 0) run.hint('The archive is empty: nothing has gone yet.')
  return bad > 0 ? EXIT.failed : EXIT.done
}
