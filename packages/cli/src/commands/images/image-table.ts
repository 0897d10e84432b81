import type { ImageView } from '@svc/core'
import { ago, facts, instant, type Page, stateColour, table } from '../../terminal/render.ts'

const SHORT_CHARS = 12
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** Returns a number of bytes in the largest unit of thousands that leaves a digit before the point. */
export function bytesText(bytes: number | undefined): string | undefined {
  if (bytes === undefined) return undefined
  let [value, unit] = [bytes, 0]
  for (; value >= 1000 && unit < UNITS.length - 1; unit += 1) value /= 1000
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`
}

/** Images as people read them. */
export const imagesTable = (images: readonly ImageView[], page: Page): string =>
  table(
    [
      { title: 'ID', text: ({ id }) => id },
      { title: 'CHECKSUM', text: ({ checksum }) => checksum.slice(0, SHORT_CHARS) },
      { title: 'STATE', text: ({ state }) => state, colour: ({ state }) => stateColour(state) },
      { title: 'HOST', narrow: 'shrinks', text: ({ hostname, fingerprint }) => hostname ?? fingerprint },
      { title: 'APP', narrow: 'shrinks', text: ({ app }) => app ?? '' },
      { title: 'CAPTURED', text: ({ captured_at }) => ago(captured_at, page) },
      { title: 'SIZE', narrow: 'leaves', text: ({ size_bytes }) => bytesText(size_bytes) ?? '' },
      {
        title: 'DRILLED',
        narrow: 'leaves',
        text: ({ verified_at }) => (verified_at === undefined ? 'never' : ago(verified_at, page)),
      },
    ],
    images,
    page,
  )

/** Everything about one image. */
export const imageFacts = (image: ImageView, page: Page): string =>
  facts(
    [
      ['id', image.id],
      ['checksum', image.checksum],
      ['state', image.state],
      ['license', image.license_id],
      ['host', image.hostname],
      ['fingerprint', image.fingerprint],
      ['repository', image.repo],
      ['engine', `${image.engine}, ${image.kind}`],
      ['app', image.app],
      ['label', image.label],
      ['captured', instant(image.captured_at, page)],
      ['took', image.duration_s === undefined ? undefined : `${image.duration_s} s`],
      ['size', bytesText(image.size_bytes)],
      ['added', bytesText(image.added_bytes)],
      ['paths', image.paths.length > 0 ? image.paths.join('\n') : undefined],
      ['tags', image.tags.length > 0 ? image.tags.join(', ') : undefined],
      ['parent', image.parent],
      ['encrypted', { true: 'yes', false: 'no' }[String(image.encrypted)]],
      ['drilled', instant(image.verified_at, page)],
      ['job', image.job_id],
      ['first seen', instant(image.first_seen_at, page)],
      ['last seen', instant(image.last_seen_at, page)],
      ['pruned', instant(image.pruned_at, page)],
    ],
    page,
  )
