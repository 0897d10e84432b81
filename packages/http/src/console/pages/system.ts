import { actionsView, byId, type RowAction } from '../actions.ts'
import { type Row, shown, state, tableOf } from '../cells.ts'
import { commandOf } from '../commands.ts'
import { detailPage, section } from '../detail.ts'
import { html } from '../html.ts'
import { listPage, thingColumn } from '../listing.ts'
import type { Page } from '../pages.ts'
import { type Tab, tabsView } from '../tabs.ts'

const conversation = byId('conversation')
const CHAT_ACTIONS = [
  { operation: 'chat.take', title: 'Take over', atOnce: true, input: conversation },
  { operation: 'chat.reply', title: 'Reply', input: conversation },
  { operation: 'chat.release', title: 'Give back', atOnce: true, input: conversation },
  { operation: 'chat.close', title: 'End', atOnce: true, input: conversation },
] as const

/** Name of somebody who writes: their address, or what they write about. */
const visitorOf = ({ contact, category }: Row): string => String(contact ?? category ?? 'Visitor')

/** Characters of an audited input in a list. */
const INPUT_CHARS = 300

const SYSTEM_TABS: readonly Tab[] = [
  { path: 'system', title: 'Checks' },
  { path: 'secrets', title: 'Secrets' },
  { path: 'retention', title: 'Retention', needs: 'retention.show' },
]
const BROWSER_TABS: readonly Tab[] = [
  { path: 'browser', title: 'Runs' },
  { path: 'browser-tokens', title: 'Tokens' },
]

export const systemPages: readonly Page[] = [
  listPage({
    path: 'chat',
    title: 'Chat',
    operation: 'chat.list',
    rows: 'conversations',
    filters: ['waiting'],
    columns: [
      thingColumn('Conversation', 'chat', visitorOf),
      'mode',
      'messages',
      'waiting_since',
      'last_message_at',
    ],
    actions: CHAT_ACTIONS.slice(0, 1),
    make: { 'chat.ask': 'Try a question' },
    empty: { says: 'Nobody has written yet.' },
  }),
  detailPage({
    path: 'chat/{conversation}',
    operation: 'chat.show',
    thing: 'conversation',
    title: visitorOf,
    first: ['mode', 'waiting_since', 'category', 'contact', 'created_at', 'last_message_at', 'id'],
    actions: CHAT_ACTIONS,
    sections: (visit, _conversation, { messages }) =>
      section(
        'Messages',
        html`<ol class="messages">${(messages as readonly Row[]).map(
          ({ role, text, at }) =>
            html`<li class="${role === 'user' ? 'theirs' : 'ours'}"><small>${String(role)} · ${shown('at', at, visit)}</small><p>${String(text)}</p></li>`,
        )}</ol>`,
      ),
  }),
  listPage({
    path: 'browser',
    title: 'Browser',
    operation: 'browser.runs',
    rows: 'runs',
    tabs: BROWSER_TABS,
    columns: ['kind', 'url_host', 'status', 'steps', 'ms', 'bytes', 'llm_tokens', 'created_at'],
    make: { 'browser.scrape': 'Read a page', 'browser.run': 'Run the agent' },
    empty: { says: 'No run yet.', command: 'svc browser scrape URL' },
  }),
  listPage({
    path: 'browser-tokens',
    title: 'Browser',
    operation: 'browser-tokens.list',
    rows: 'tokens',
    tabs: BROWSER_TABS,
    columns: ['label', 'license_id', 'daily_limit', 'last_used_at', 'created_at', 'id'],
    actions: [{ operation: 'browser-tokens.revoke', title: 'Revoke', input: byId('token') }],
    make: { 'browser-tokens.issue': 'Issue token' },
    empty: { says: 'No token yet.', command: 'svc browser tokens issue' },
  }),
  listPage({
    path: 'audit',
    title: 'Audit',
    operation: 'audit.list',
    rows: 'audit',
    filters: ['who', 'operation', 'since'],
    columns: [
      'at',
      'actor',
      'operation',
      'outcome',
      {
        title: 'Input',
        of: ({ input }) => html`<code class="reason">${JSON.stringify(input).slice(0, INPUT_CHARS)}</code>`,
      },
    ],
    empty: { says: 'Nothing was changed yet.' },
  }),
  {
    path: 'system',
    operation: 'health.check',
    show: async (visit) => {
      const { ok, version, checks, duration_ms } = await visit.run('health.check', {})
      const columns = [
        { title: 'Check', of: ({ name }: Row) => String(name) },
        { title: 'State', of: (row: Row) => state(row.status, visit, row) },
        { title: 'Detail', of: ({ detail }: Row) => String(detail ?? '') },
        {
          title: 'Took',
          isNumber: true,
          of: ({ latency_ms }: Row) => (latency_ms === undefined ? '' : `${latency_ms} ms`),
        },
      ]
      return {
        title: 'System',
        command: 'svc doctor',
        body: html`<div class="head"><h1>System</h1></div>${tabsView(SYSTEM_TABS, visit, {})}
<p>${state(ok === true ? 'ok' : 'fault', visit, {})} svc ${String(version)}, checked in ${Math.round(Number(duration_ms))} ms.</p>
${tableOf(columns, checks as readonly Row[])}`,
      }
    },
  },
  {
    path: 'retention',
    operation: 'retention.show',
    show: async (visit) => {
      const { jobs, logs, held } = await visit.run('retention.show', {})
      const rows: readonly Row[] = [
        { what: 'Ended jobs, with their deployments', ...(jobs as Row) },
        { what: 'Logs of ended jobs, in pieces', ...(logs as Row) },
      ]
      const columns = [
        { title: 'What', of: ({ what }: Row) => String(what) },
        { title: 'Kept', of: ({ days }: Row) => `${days} days after the end` },
        {
          title: 'Past that',
          isNumber: true,
          of: ({ rows: count, more }: Row) => `${count}${more ? '+' : ''}`,
        },
        { title: 'Removed', of: ({ goes }: Row) => (goes ? 'each minute, until none is left' : 'no') },
      ]
      const shownDays = { job_days: String(rows[0]?.days), log_days: String(rows[1]?.days) }
      const actions: readonly RowAction[] = [
        {
          operation: 'retention.accept',
          title: 'Accept the rules',
          input: () => (held ? shownDays : undefined),
        },
        {
          operation: 'retention.run',
          title: 'Remove now',
          input: () => (rows.some(({ goes }) => goes === true) ? {} : undefined),
        },
      ]
      return {
        title: 'Retention',
        shows: [],
        command: commandOf('retention.show'),
        body: html`<div class="head"><h1>System</h1></div>${tabsView(SYSTEM_TABS, visit, {})}
${held === true && html`<p>This database has jobs from before it had rules: they stay until somebody accepts the rules.</p>`}
${actionsView(actions, {}, visit)}${tableOf(columns, rows)}`,
      }
    },
  },
  listPage({
    path: 'secrets',
    title: 'System',
    operation: 'secrets.status',
    rows: 'secrets',
    tabs: SYSTEM_TABS,
    columns: ['column', 'current', 'older', 'unreadable', 'plain'],
    make: { 'secrets.rotate': 'Seal anew' },
    empty: { says: 'Nothing is sealed yet.' },
  }),
]
