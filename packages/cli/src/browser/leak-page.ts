/** The name under which the page stands. It has no address but in the test. */
export const LEAK_NAME = 'leak.svc.test'

/** The addresses that the page tries. */
export interface LeakTargets {
  readonly host: string
  readonly tcpPort: number
  readonly udpPort: number
  readonly sitePort: number
}

/** Returns a page that tries every way out that a browser has. */
export function leakPage({ host, tcpPort, udpPort, sitePort }: LeakTargets): string {
  const target = `${host}:${tcpPort}`
  return `<!doctype html><html><head><title>leaks</title>
<link rel="dns-prefetch" href="//prefetched.svc.test"><link rel="preconnect" href="http://${target}">
<link rel="prefetch" href="http://${target}/prefetch"><link rel="stylesheet" href="http://${target}/style.css">
<script src="http://${target}/script.js"></script></head><body><main><p id="out">leaks</p></main>
<img src="http://${target}/image"><img src="http://localhost:${tcpPort}/image"><img src="http://[::1]:${tcpPort}/image">
<img src="http://0.0.0.0:${tcpPort}/image"><img src="http://LEAK.svc.test:${sitePort}/away/image">
<form><input name="user" autocomplete="username"><input name="secret" type="password"></form>
<form><input autocomplete="cc-name"><input autocomplete="cc-number"><input autocomplete="cc-exp"></form>
<iframe src="http://${target}/frame"></iframe><video src="http://${target}/video"></video>
<object data="http://${target}/object"></object>
<script>
const quietly = (work) => { try { const given = work(); if (given && given.catch) given.catch(() => {}) } catch {} }
const target = '${target}'
quietly(() => fetch('http://' + target + '/fetch', { mode: 'no-cors' }))
quietly(() => fetch('http://' + target + '/post', { method: 'POST', body: 'x', mode: 'no-cors', keepalive: true }))
quietly(() => fetch('/away/fetch', { mode: 'no-cors' }))
quietly(() => fetch('https://' + target + '/tls', { mode: 'no-cors' }))
quietly(() => fetch('http://unknown.svc.test:${sitePort}/', { mode: 'no-cors' }))
quietly(() => navigator.sendBeacon('http://' + target + '/beacon', 'x'))
quietly(() => new WebSocket('ws://' + target + '/socket'))
quietly(() => new EventSource('http://' + target + '/events'))
quietly(() => new WebTransport('https://' + target + '/transport'))
quietly(() => { const asked = new XMLHttpRequest(); asked.open('GET', 'http://' + target + '/xhr'); asked.send() })
quietly(() => new Worker(URL.createObjectURL(new Blob(["fetch('http://" + target + "/worker', { mode: 'no-cors' }).catch(() => {}); new WebSocket('ws://" + target + "/worker-socket')"]))))
quietly(() => navigator.serviceWorker.register('/worker.js'))
quietly(() => window.open('http://' + target + '/popup'))
quietly(() => {
  const peer = new RTCPeerConnection({ iceServers: [
    { urls: 'stun:${host}:${udpPort}' }, { urls: 'stun:stun.svc.test:${udpPort}' },
    { urls: 'turn:${host}:${udpPort}?transport=udp', username: 'x', credential: 'x' },
    { urls: 'turn:' + target + '?transport=tcp', username: 'x', credential: 'x' },
  ] })
  peer.createDataChannel('x')
  return peer.createOffer().then((offer) => peer.setLocalDescription(offer))
})
document.getElementById('out').textContent = 'tried'
</script></body></html>`
}
