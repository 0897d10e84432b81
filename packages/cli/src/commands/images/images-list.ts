import type { ImageView } from '@svc/core'
import { given, type Handler } from '../../program/command-run.ts'
import { wholeNumber } from '../number-option.ts'
import { imageFacts, imagesTable } from './image-table.ts'

/** Flags of `svc images list`. */
export interface ListOptions {
  readonly license?: string
  readonly host?: string
  readonly app?: string
  readonly state?: string
  readonly limit?: string
}

/** Lists captured images. */
export const listImages: Handler<ListOptions> = async (run) => {
  const { license, host, app, state, limit } = run.options
  const input = given({ license, host, app, state, limit: wholeNumber('--limit', limit) })
  const answer = await run.operate<{ images: readonly ImageView[] }>('images.list', input)
  run.print(answer, (page) => imagesTable(answer.images, page))
  if (answer.images.length > 0) return
  run.hint('No images: svc jobs enqueue backup --license LICENSE --host HOST captures one.')
}

/** Shows one image. */
export const showImage: Handler<{ readonly license?: string }> = async (run) => {
  const input = given({ image: run.arg(0), license: run.options.license })
  const answer = await run.operate<{ image: ImageView }>('images.show', input)
  run.print(answer, (page) => imageFacts(answer.image, page))
}
