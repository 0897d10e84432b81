/** Sentences of people about secrets that reveal none. */
const TALK = `
the password reset page is broken
My password is not working since yesterday.
I forgot my password, how do I change it?
The password field is empty after I press save.
password is required
Password: required
Password must be at least 12 characters long
Passwords: use a manager and never reuse them.
The password is stored as a hash, never in the clear.
Is the token valid for seven days or for 24 hours?
the token is expired
The token is valid for 7days, then the agent asks for a new one.
token is expired, please sign in again
Your token was revoked by an administrator.
Invalid token: expired
Error: invalid token: signature verification failed
The secret is stored in /run/secrets/db.
The secret is to keep the images small.
secret: see the vault
Where do I find my API key?
The API key is shown once, then only its digest is kept.
api key is missing
The API key is wrong or was rotated.
API key: not set
Our access key is read-only, is that enough?
The license key is rejected with 403, what now?
The license key is case-sensitive.
The webhook secret is shown in the dashboard under Endpoints.
Do I need a token for each server, or one token for the whole fleet?
We rotate tokens every 90 days.
The token is base64url without padding.
The password is hashed with argon2id.
The signing key is Ed25519, 32 bytes.
The session secret is 32 bytes from the system's random source.
Set the header Authorization: Bearer <license_key>
Send "Authorization: Bearer <token>" with every request.
The Authorization header is missing.
Authorization: handled by the proxy in front of us
Bearer authentication failed for every host at once.
We use basic authentication behind the VPN only.
Basic troubleshooting did not help.
How do cookies work with SameSite=Lax behind a proxy?
Cookie: we set exactly one, for the session.
My card was charged twice in October.
Which cards do you take, Visa or Mastercard?
Please send me the IBAN for the bank transfer.
Is my private key safe when the agent restarts?
A file that starts with BEGIN CERTIFICATE is not a secret.
Never paste your private key into the chat.
The secret manager asks for a token, but which one?
The password prompt appears twice on the second deploy.
Two-factor codes and passwords do not go well together here.
ask-me-anything sessions are on Thursday
task-runner-with-a-very-long-name is stuck
The disk-encryption-at-rest-for-all-volumes flag is on.
risk-assessment-and-mitigation-plan is attached
sk-fading-circle-animation shows while loading
npm_config_registry points at our mirror
svc_job_log_lines_total grows although nothing runs
svc_scheduler_last_success_timestamp_seconds_by_task_name is flat
What does svc_session mean in the docs?
The format version svct_v1 is written on the first page.
Our plan is to move 14 servers to the new region on Friday.
The deploy of web-1 takes 12 minutes, of which 9 are npm install.
Rollback to the commit before last worked fine.
Can I run two agents on one host with one license?
It says "rate limit exceeded" but we only have 25 hosts.
The monitor says drift, though the record did not change.
Does the agent keep working when the control plane is down?
We saw 502 from the proxy between 10:15 and 10:18 UTC.
My order number is 2024-0817-5561, thanks.
Call me at +49 30 901820 or +1 415 555 0134.
The server has 64 GB of memory and 2 x 3.84 TB disks.
Größe und Schlüssel stimmen, nur das Passwort-Feld fehlt im Formular.
Le mot de passe est demandé deux fois — c'est normal ?
パスワードの再設定ページが表示されません
🚀 deployed ✅ all checks passed — token count unchanged
Temperature is 21 ℃ and the fan runs at ½ speed…
`

/** Lines of machines. */
const OUTPUT = `
2026-11-20T19:47:59.123Z INFO [web-1] GET /v1/jobs/claim 200 12ms
{"level":30,"time":1760000200123,"pid":812,"hostname":"web-1","msg":"claimed"}
{"ts":1760000200123456789,"event":"lease","job":"job_01k7a9r2c3d4e5f6g7h8j9kmnp"}
{"usage":{"prompt_tokens":512,"completion_tokens":128,"total_tokens":640}}
max_tokens=500 temperature=0.2
HEAD is now at 3f2c9a1 Fix the lease of a job that nobody took
commit 3f2c9a1b0c4d5e6f708192a3b4c5d6e7f8091a2b
Author: A Person <person@example.test>
Checking out files: 100% (1204/1204), done.
 * branch            3f2c9a1b0c4d5e6f708192a3b4c5d6e7f8091a2b -> FETCH_HEAD
request_id=7b9d3c1e-2f4a-4b6c-8d0e-1f2a3b4c5d6e status=204
id 12345678-1234-1234-1234-123456789012 not found
trace=4bf92f3577b34da6a3ce929d0e0e4736 span=00f067aa0ba902b7
traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
#12 sha256:be16aa55 12.58MB / 29.13MB 0.9s
Digest: sha256:d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35
Status: Downloaded newer image for node:24-slim
docker.io/library/node@sha256:d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35
docker run -u 1000:1000 --rm app:latest
curl -u "$USER:$PASS" https://example.test
curl -fsSL https://example.test/install.sh | sh
Step 4/12 : COPY package.json package-lock.json ./
 ---> Using cache 8d1f0c2b7a6e
npm warn deprecated inflight@1.0.6: This module is not supported, and leaks memory.
npm error code ERESOLVE
added 812 packages, and audited 813 packages in 41s
"integrity": "sha512-b7CA2FLAR4NCNDu8Vx3rGtaKpPYvVbLYvUCYvJYqqpK+Z3bLwTcM7ZAbNZnzNQZn1GnqCmSlTvD2mGMTQvDl5w==",
    at Layer.handle [as handle_request] (/srv/app/node_modules/express/lib/router/layer.js:95:5)
    at async Jobs.claim (file:///srv/app/packages/core/src/work/jobs/jobs.ts:61:17)
TypeError: Cannot read properties of undefined (reading 'token')
SyntaxError: Unexpected token } in JSON at position 12
SyntaxError: Unexpected token '<', "<!DOCTYPE "... is not valid JSON
ERROR: password authentication failed for user "app"
FATAL: no password supplied
sudo: a password is required
Enter passphrase for key '/root/.ssh/id_ed25519':
Permission denied (publickey,password).
debug1: Authentications that can continue: publickey,password
SHA256:uNiVztksCsDhcc0u9e8BrYXo0F0n5jOeWcK9h0k1x2y root@web-1 (ED25519)
Generating public/private ed25519 key pair.
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHZpY3RvcmlhbnNlY3JldHNhcmVub3RoZXJlMTIz root@web-1
-----BEGIN CERTIFICATE-----
-----BEGIN PUBLIC KEY-----
<img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==">
background: url(data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7)
postgres://db.example.test:5432/app
postgres://app@db.example.test/app
https://example.test:8443/@scope/package@1.2.3
http://localhost:8080/users/a@b.test
https://example.test/@someone/a-post-about-servers
git@github.com:example/app.git
ssh://git@git.example.test:2222/example/app.git
mailto:someone@example.test?subject=hello
GET /search?key=name&sort=asc 200 3ms
ratio 0.4111111111111111 of 4096 1024 ms
4012 8888 7777 1235 is not a card: its check digit is wrong
PID 4242 RSS 4194304 VSZ 1073741824 CPU 3.7
[ 12.345678] EXT4-fs (sda1): mounted filesystem 3e6be9de-8139-11d1-9106-a43f08d823a6
eth0: 02:42:ac:11:00:02 inet 172.17.0.2/16 fe80::42:acff:fe11:2/64
ETag: W/"5d8c72a5edda8d6a-1f4"
Content-Security-Policy: default-src 'self'; script-src 'nonce-r4nd0m'
Set-Cookie policy updated
PASS packages/core/test/work/jobs/claim.test.ts
Tests: 412 passed, 0 failed, pass=412
PWD=/srv/app/releases/20261120194759
OLDPWD=/srv/app
secretName: 
token_type=bearer expires_in=3600
password_file=/run/secrets/db_password
DB_PASSWORD=\${DB_PASSWORD}
DB_PASSWORD=$DB_PASSWORD
password: {{ vault.db_password }}
password: "\${{ secrets.DB_PASSWORD }}"
password: ********
SERVICE_LICENSE_KEY=svc_… svc agent run
Authorization: Bearer svc_…
password: 'your-password'
token: \`Basic \${encoded}\`
password = process.env.DB_PASSWORD
const token = await fetchToken()
const password: string = ask()
token?: string | undefined
if (password === confirmation) {
if (token == null) return
passwordHash: undefined, tokenCount: 3
SELECT id, password_hash FROM users WHERE token IS NOT NULL
ALTER TABLE users ADD COLUMN password text NOT NULL
keys: 12, tokens: 7, secrets: 3
key=value pairs are split at the first sign
cache key: node-modules-linux-x64
monkey: patched, keyboard: us
\u001b[32m✓\u001b[0m built in 3.21s  dist/assets/index-BhT3k2.js  142.3 kB
\u001b[1mtoken\u001b[0m: \u001b[31mmissing\u001b[0m
`

const lines = (text: string) => text.split('\n').filter((line) => line !== '')

/** Texts that redaction returns byte for byte: sentences of users and lines of tools, without any secret. */
export const PROSE: readonly string[] = [...lines(TALK), ...lines(OUTPUT)]
