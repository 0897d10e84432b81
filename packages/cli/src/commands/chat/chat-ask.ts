import type { Handler } from '../../program/command-run.ts'
import { table } from '../../terminal/render.ts'
import { plain, plainBlock } from '../../terminal/terminal.ts'

/** The answer of `chat.ask`. */
interface AskAnswer {
  readonly documents: number
  readonly grounded: boolean
  readonly coverage: number
  readonly terms: readonly string[]
  readonly hits: readonly {
    readonly score: number
    readonly page: string
    readonly heading: string
    readonly url: string
  }[]
  readonly answer: string
}

/** Shows the answer of the documents to a question, and how well they cover it. */
export const askDocuments: Handler<object> = async (run) => {
  const answer = await run.operate<AskAnswer>('chat.ask', { question: run.arg(0) })
  run.print(answer, (page) => {
    const covered = `${Math.round(answer.coverage * 100)} % of ${answer.terms.join(', ') || 'nothing'} covered`
    const verdict = `${answer.grounded ? 'grounded' : 'not grounded'}: ${covered}\n\n`
    const columns = [
      { title: 'SCORE', text: (hit: AskAnswer['hits'][number]) => String(hit.score) },
      { title: 'HEADING', text: (hit: AskAnswer['hits'][number]) => hit.heading },
      { title: 'READ AT', text: (hit: AskAnswer['hits'][number]) => hit.url },
    ]
    const hits = answer.hits.length === 0 ? '' : `${table(columns, answer.hits, page)}\n`
    return `${plain(verdict.trimEnd())}\n\n${hits}${plainBlock(answer.answer)}\n`
  })
  if (answer.documents === 0)
    run.hint('No documents were found: set CHAT_CONTENT_DIR to a folder of Markdown.')
}
