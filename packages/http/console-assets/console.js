// Makes pages live. Nothing depends on it: without it pages are read anew by hand.

const main = document.getElementById('main')

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
]

/** Returns how long ago a time was, or is to come, as the service writes it. */
function relative(ms) {
  const seconds = Math.round(Math.abs(ms) / 1000)
  if (seconds < 2) return 'just now'
  const [unit, size] = UNITS.find(([, each]) => seconds >= each)
  const words = `${Math.floor(seconds / size)}${unit}`
  return ms < 0 ? `${words} ago` : `in ${words}`
}

const DAY = { year: 'numeric', month: '2-digit', day: '2-digit' }

/** Shows times as this browser's clock and zone have them; the service writes UTC. */
function showTimes() {
  const today = new Date().toDateString()
  for (const time of main.querySelectorAll('time[datetime]')) {
    const at = new Date(time.dateTime)
    const [words, exact] = time.childNodes
    if (!(words instanceof Text) || exact === undefined) continue
    const passed = `${relative(at - Date.now() + skew)} `
    if (words.data !== passed) words.data = passed
    const clock = at.toLocaleTimeString([], { hour12: false })
    exact.textContent = at.toDateString() === today ? clock : `${at.toLocaleDateString([], DAY)} ${clock}`
  }
}

/** By how much this machine's clock is ahead of the service's. */
const skew = Date.now() - Number(main.dataset.now) * 1000

/** Puts a button beside each text that people copy. */
function offerCopies() {
  for (const text of main.querySelectorAll('[data-copy]')) {
    if (text.nextElementSibling?.className === 'copy plain') continue
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy plain'
    button.textContent = 'Copy'
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(text.textContent)
      button.textContent = 'Copied'
    })
    text.after(button)
  }
}

function dress() {
  showTimes()
  offerCopies()
}

/** A log stays at its end while it grows, unless somebody reads further up. */
const isAtEnd = (log) => log !== null && log.scrollHeight - log.scrollTop - log.clientHeight < 8

/** Whether somebody marks a text or fills a field, which a new page would take away. */
const isInUse = () =>
  !(getSelection()?.isCollapsed ?? true) ||
  main.contains(document.activeElement?.closest('input,select,textarea'))

const status = document.createElement('p')
status.className = 'lost'
status.setAttribute('role', 'status')
document.body.append(status)

/** Reads the page anew and lays it over the one that is seen. */
async function refresh() {
  const answer = await fetch(location.href, {
    headers: { accept: 'text/html' },
    signal: AbortSignal.timeout(10_000),
  })
  // The session has ended: the page leads to the sign-in.
  if (answer.redirected) return location.reload()
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const next = page.getElementById('main')
  if (next === null) throw new Error('the answer is no page')
  if (isInUse()) return news()
  const wasAtEnd = isAtEnd(main.querySelector('.log'))
  Idiomorph.morph(main, next, {
    ignoreActiveValue: true,
    // A filter that somebody is about to change stays as it is.
    callbacks: {
      beforeNodeMorphed: (old) => !(old instanceof Element && old.matches('form.filters,details')),
    },
  })
  dress()
  const log = main.querySelector('.log')
  if (wasAtEnd && log !== null) log.scrollTop = log.scrollHeight
  if (stream !== undefined || followed === '') status.textContent = ''
}

/** A session ends when nobody uses it, so a page that nobody touches asks no more. */
const UNATTENDED_MS = 30 * 60_000
/** A page is read anew after so long in any case: the event stream tells of the newest rows of a list. */
const CALM_MS = 60_000
/** How often a page is read anew for which the service has no event stream left. */
const FULL_MS = 15_000
const AGAIN_MS = 1000
/** The service says something every 15 s; a stream that is silent for longer is lost. */
const SILENCE_MS = 40_000

let touched = Date.now()
const isUnattended = () => Date.now() - touched > UNATTENDED_MS
/** Forms, and answers that are given once, are no live pages: to read them anew would take them away. */
const isLive = () => main.dataset.live !== undefined && !document.hidden

/** Whether the page has to be read anew, and whether it is being read. */
let isOld = false
let isReading = false
let timer

/** Reads the page anew, once at a time; a page that is in use waits. */
async function news() {
  isOld = true
  if (isReading || !isLive()) return
  isReading = true
  while (isOld && isLive()) {
    if (isInUse()) await new Promise((done) => setTimeout(done, AGAIN_MS))
    else {
      isOld = false
      await refresh().catch(() => {
        status.textContent = 'No answer from the service. Trying again.'
        later(AGAIN_MS)
      })
    }
  }
  isReading = false
  // A job that has ended shows other things than one that runs, and one that is gone shows nothing.
  if (main.dataset.live !== followed) follow()
}

function later(ms) {
  clearTimeout(timer)
  timer = setTimeout(look, ms)
}

/** Reads the page anew and sees to it that its stream is open. */
function look() {
  clearTimeout(timer)
  if (!isLive()) return
  if (isUnattended()) {
    unfollow()
    status.textContent = 'Paused, since nobody is here.'
    return
  }
  later(CALM_MS)
  void news()
  if (stream === undefined) follow()
}

/** The event stream of the page while it is open, and the address that it was last asked for at. */
let stream
let followed

function unfollow() {
  stream?.abort()
  stream = undefined
}

async function follow() {
  unfollow()
  followed = main.dataset.live
  if (!isLive() || followed === '') return
  const leaving = new AbortController()
  stream = leaving
  const answer = await read(followed, leaving).catch(() => undefined)
  if (stream !== leaving) return
  stream = undefined
  if (answer === undefined || answer.ok) {
    status.textContent = 'The connection is lost. Trying again.'
    return later(AGAIN_MS * (1 + Math.random()))
  }
  status.textContent = 'Not live: this page is read anew every 15 seconds.'
  later(FULL_MS)
  // The session has ended, or what the page shows is gone: the page itself says so.
  if (answer.status === 401 || answer.status === 404) void news()
}

/** Reads a stream to its end: the page is read anew for each event. */
async function read(address, leaving) {
  let silence = setTimeout(() => leaving.abort(), SILENCE_MS)
  try {
    const headers = { accept: 'text/event-stream' }
    const answer = await fetch(address, { headers, signal: leaving.signal })
    if (!answer.ok) return answer
    status.textContent = ''
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return answer
      clearTimeout(silence)
      silence = setTimeout(() => leaving.abort(), SILENCE_MS)
      if (value.includes('data:')) void news()
    }
  } finally {
    clearTimeout(silence)
  }
}

document.addEventListener('visibilitychange', () => (document.hidden ? unfollow() : look()))
for (const sign of ['pointermove', 'pointerdown', 'keydown', 'wheel']) {
  document.addEventListener(
    sign,
    () => {
      const wasUnattended = isUnattended()
      touched = Date.now()
      if (wasUnattended) look()
    },
    { passive: true },
  )
}
document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof Element && event.target.matches('input,select,textarea')
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  const field = document.querySelector('.search input')
  if (field === null) return
  event.preventDefault()
  field.focus()
})

/** How long somebody has stopped typing before choices are asked for. */
const PAUSE_MS = 150
let asked

/** Offers the things that a field may name, those with the text that is typed. */
async function offerChoices(field) {
  const { choices } = field.dataset
  const typed = field.value
  const address = new URL(`console/choices/${choices}`, document.querySelector('.brand').href)
  address.searchParams.set('q', typed)
  const answer = await fetch(address, { headers: { accept: 'text/html' } }).catch(() => undefined)
  if (!answer?.ok || answer.redirected || field.value !== typed) return
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const list = document.createElement('datalist')
  list.id = `c-${field.id}`
  for (const { dataset, textContent } of page.querySelectorAll('[data-value]')) {
    const option = document.createElement('option')
    option.value = dataset.value
    option.label = textContent
    list.append(option)
  }
  document.getElementById(list.id)?.remove()
  field.after(list)
  field.setAttribute('list', list.id)
}

for (const sign of ['input', 'focusin']) {
  document.addEventListener(sign, ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.dataset.choices === undefined) return
    clearTimeout(asked)
    asked = setTimeout(() => void offerChoices(target), PAUSE_MS)
  })
}

// A doubled click would send a form twice, and show the refusal of the second.
document.addEventListener('submit', ({ target }) => {
  const buttons = target.querySelectorAll('button')
  setTimeout(() => {
    for (const button of buttons) button.disabled = true
  })
})
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) look()
  for (const button of document.querySelectorAll('button:disabled')) button.disabled = false
})

dress()
const log = main.querySelector('.log')
if (log !== null && location.hash === '') log.scrollTop = log.scrollHeight
setInterval(showTimes, 10_000)
later(CALM_MS)
follow()
