// The API document, drawn by Redoc.
const box = document.getElementById('api')
const { nonce } = box.dataset

// The policy of the page lets in styles with its nonce alone, and pictures of this service alone: Redoc asks
// another host for the picture of its name, which the page writes instead.
window.__webpack_nonce__ = nonce
const { prototype } = HTMLImageElement
const { setAttribute } = prototype
const { set } = Object.getOwnPropertyDescriptor(prototype, 'src')
const isOwn = (address) => new URL(address, location.href).origin === location.origin
prototype.setAttribute = function setOwn(name, value) {
  if (name !== 'src' || isOwn(value)) setAttribute.call(this, name, value)
}
Object.defineProperty(prototype, 'src', {
  set(address) {
    if (isOwn(address)) set.call(this, address)
  },
})

const OPTIONS = {
  disableTelemetry: true,
  hideDownloadButtons: true,
  layout: 'stacked',
  maxDisplayedEnumValues: 12,
  router: 'hash',
}

try {
  const address = new URL(box.dataset.document, location.href)
  const renderer = import(document.querySelector('link[rel=modulepreload][href*="/redoc-"]').href)
  const answer = await fetch(address)
  if (!answer.ok) throw new Error(`the service answered ${answer.status}`)
  const description = await answer.json()
  const own = Object.values(description.paths).flatMap(({ servers = [] }) => servers)
  for (const server of [...description.servers, ...own]) server.url = new URL(server.url, address).href
  const { init } = await renderer
  init(description, OPTIONS, box)
} catch (error) {
  box.textContent = `The document cannot be shown: ${error.message}. Load this page again.`
}
