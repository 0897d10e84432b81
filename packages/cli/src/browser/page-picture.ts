import { PageFailure, type Screenshot } from '@svc/core/adapters'
import type { CDPSession } from 'playwright-core'

const LIMIT_MS = 10_000
const MAX_WIDTH = 1280
const MAX_HEIGHT = 8000

/** Takes a picture of the visible part, or of the whole page up to 1280 by 8000 pixels. */
export async function pictureOf(
  session: CDPSession,
  viewport: { readonly width: number; readonly height: number },
  fullPage: boolean,
): Promise<Screenshot> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new PageFailure({ kind: 'timeout', phase: 'extract' })),
    LIMIT_MS,
  )
  try {
    return await Promise.race([taken(session, viewport, fullPage), late.promise])
  } finally {
    clearTimeout(timer)
  }
}

async function taken(
  session: CDPSession,
  viewport: { readonly width: number; readonly height: number },
  fullPage: boolean,
): Promise<Screenshot> {
  const { cssContentSize } = await session.send('Page.getLayoutMetrics')
  const size = fullPage
    ? {
        width: Math.min(Math.ceil(cssContentSize.width), MAX_WIDTH),
        height: Math.min(Math.ceil(cssContentSize.height), MAX_HEIGHT),
      }
    : viewport
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'png',
    captureBeyondViewport: fullPage,
    ...(fullPage ? { clip: { x: 0, y: 0, ...size, scale: 1 } } : {}),
  })
  return { mime: 'image/png', base64: data, ...size }
}
