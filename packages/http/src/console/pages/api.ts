import { apiAssets } from '../assets.ts'
import { html } from '../html.ts'
import type { Page } from '../pages.ts'
import { newNonce } from '../visit.ts'

/** The API document as a page, drawn by Redoc in the browser. */
export const apiPage: Page = {
  path: 'api',
  show: async ({ links }) => {
    const nonce = newNonce()
    const document = links.to('openapi.json')
    return {
      title: 'API',
      body: html`<div class="head"><h1>API</h1><a href="${document}" download>openapi.json</a></div>
<div id="api" data-document="${document}" data-nonce="${nonce}"><p class="empty" role="status">Reading the document …</p></div>
<noscript><p class="empty">This page needs script. The document itself is <a href="${document}">openapi.json</a>.</p></noscript>`,
      further: { assets: apiAssets().all, nonce, hasFonts: true },
    }
  },
}
