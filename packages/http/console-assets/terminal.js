// A terminal on a host: the operator's side of the relay's protocol (docs/reference/relay.md).

const box = document.getElementById('terminal')
const status = document.getElementById('terminal-state')
const copyButton = document.getElementById('terminal-copy')
const endButton = document.getElementById('terminal-end')
const again = document.getElementById('terminal-again')
const { relay, ticket, nonce, seconds } = box.dataset
// It works once; nothing has to keep it.
delete box.dataset.ticket

const FRAME_BYTES = 64 * 1024
const MOST = { cols: 500, rows: 200 }
const ACK_MS = 50
const WARNING_MS = 60_000
const LONGEST_TIMER_MS = 2 ** 31 - 1

const ENDS = {
  no_peer:
    'The host did not come to the relay in time: does its agent run, and does its access.json take sessions?',
  peer_gone: 'The host is gone: its agent or its network has failed.',
  idle: 'The session was left alone for too long, and has ended.',
  max: 'The session has lasted as long as one may, and has ended.',
  revoked: 'Somebody revoked the session, or barred you or the license of the host.',
  restart: 'The relay restarts: the session has ended.',
}
const LOST = 'The connection is lost, and the session with it.'
const REFUSED = 'The relay does not take the connection: it is away, or lets no page of this address in.'

// The policy of the page lets in styles with its nonce alone, and no attribute with styles.
const createElement = document.createElement.bind(document)
document.createElement = (name, options) => {
  const element = createElement(name, options)
  if (name === 'style') element.nonce = nonce
  return element
}
const { setAttribute } = Element.prototype
Element.prototype.setAttribute = function set(name, value) {
  if (name === 'style') this.style.cssText = value
  else setAttribute.call(this, name, value)
}

const moduleOf = (name) => import(document.querySelector(`link[rel=modulepreload][href*="/${name}-"]`).href)
const [{ Terminal }, { FitAddon }] = await Promise.all([moduleOf('xterm'), moduleOf('addon-fit')])

const terminal = new Terminal({
  fontFamily: 'ui-monospace, Menlo, Consolas, "Liberation Mono", monospace',
  fontSize: 13,
  scrollback: 5000,
  theme: { background: '#16181d', foreground: '#e7e9ee' },
  // Links of a host lead nowhere: their words may lie.
  linkHandler: { activate: () => {} },
})
const fit = new FitAddon()
terminal.loadAddon(fit)
terminal.open(box)
fit.fit()
new ResizeObserver(() => fit.fit()).observe(box)

const socket = new WebSocket(`${relay}`, ['svc-relay.v1', `svc-token.${ticket}`])
socket.binaryType = 'arraybuffer'

let isReady = false
let isDrawing = false
let window_ = 0
let credit = 0
let unacked = 0
let acking
let said
let warning
const waiting = []

const control = (object) => socket.readyState === WebSocket.OPEN && socket.send(JSON.stringify(object))

function flush() {
  while (waiting.length > 0 && waiting[0].length <= credit) {
    const frame = waiting.shift()
    credit -= frame.length
    socket.send(frame)
  }
}

function type(bytes) {
  if (!isReady) return
  for (let at = 0; at < bytes.length; at += FRAME_BYTES) waiting.push(bytes.subarray(at, at + FRAME_BYTES))
  flush()
}

function acknowledge() {
  clearTimeout(acking)
  acking = undefined
  if (unacked > 0) control({ t: 'ack', n: unacked })
  unacked = 0
}

function consumed(length) {
  unacked += length
  if (unacked >= window_ / 8) acknowledge()
  else acking ??= setTimeout(acknowledge, ACK_MS)
}

const say = (text) => {
  status.textContent = text
}

function resize() {
  const cols = Math.min(Math.max(terminal.cols, 2), MOST.cols)
  const rows = Math.min(Math.max(terminal.rows, 2), MOST.rows)
  control({ t: 'resize', cols, rows })
}

const HEARD = {
  ready({ window: size, max_s: most }) {
    isReady = true
    window_ = size
    credit = size
    say('Connected.')
    box.dataset.state = 'connected'
    copyButton.hidden = false
    endButton.hidden = false
    const left = Number(most ?? seconds) * 1000 - WARNING_MS
    warning = setTimeout(
      () => say('This session ends in 60 s.'),
      Math.min(Math.max(0, left), LONGEST_TIMER_MS),
    )
    terminal.focus()
  },
  ack({ n }) {
    credit = Math.min(window_, credit + n)
    flush()
  },
  exit({ code }) {
    said = `The shell has ended, with code ${code}.`
    // Its last lines stand before.
    terminal.write('', () => socket.close(1000))
  },
  error({ message, code }) {
    said = `The host refused: ${String(message ?? code).replace(/\p{Cc}/gu, '·')}`
    socket.close(1000)
  },
  bye({ reason }) {
    said ??= ENDS[reason]
  },
}

socket.addEventListener('message', ({ data }) => {
  if (typeof data !== 'string') {
    const { byteLength } = data
    // A host hears of sizes once its terminal is there.
    if (!isDrawing) resize()
    isDrawing = true
    terminal.write(new Uint8Array(data), () => consumed(byteLength))
    return
  }
  const object = JSON.parse(data)
  if (Object.hasOwn(HEARD, object.t)) HEARD[object.t](object)
})
socket.addEventListener('close', () => {
  clearTimeout(warning)
  clearTimeout(acking)
  const wasReady = isReady
  isReady = false
  say(said ?? (wasReady ? `${LOST} Whatever ran in it has ended, unless it ran in tmux.` : REFUSED))
  box.dataset.state = 'ended'
  terminal.options.disableStdin = true
  endButton.hidden = true
  again.hidden = false
  again.querySelector('button').focus()
})

const encoder = new TextEncoder()
terminal.onData((text) => type(encoder.encode(text)))
terminal.onBinary((text) => type(Uint8Array.from(text, (letter) => letter.charCodeAt(0))))
terminal.onResize(resize)

const copy = async () => {
  const text = terminal.getSelection()
  if (text !== '') await navigator.clipboard.writeText(text)
}
terminal.attachCustomKeyEventHandler((event) => {
  const { type: kind, ctrlKey, shiftKey, code } = event
  if (ctrlKey && shiftKey && code === 'KeyC') {
    event.preventDefault()
    if (kind === 'keydown') void copy()
    return false
  }
  // The browser pastes.
  if (ctrlKey && shiftKey && code === 'KeyV') return false
  if (ctrlKey && code === 'F6') {
    if (kind === 'keydown') endButton.focus()
    return false
  }
  return true
})
copyButton.addEventListener('click', () => void copy())
endButton.addEventListener('click', () => {
  said = 'You have ended the session.'
  socket.close(1000)
})
addEventListener('beforeunload', (event) => {
  if (isReady) event.preventDefault()
})
