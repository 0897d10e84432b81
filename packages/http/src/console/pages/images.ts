import { byId, inState, type RowAction } from '../actions.ts'
import { host } from '../cells.ts'
import { detailPage } from '../detail.ts'
import { type ListColumn, listPage, thingColumn } from '../listing.ts'
import type { Page } from '../pages.ts'

/** Columns of backup images, wherever some are listed. */
export const IMAGE_COLUMNS: readonly ListColumn[] = [
  thingColumn('Image', 'images'),
  'state',
  'kind',
  'app',
  { title: 'Host', of: (image, visit) => host(image.fingerprint, visit, image) },
  'captured_at',
  'size_bytes',
  'verified_at',
]
export const IMAGES_EMPTY = { says: 'No backup yet.', command: 'svc jobs enqueue backup' }

const ACTIONS: readonly RowAction[] = [
  { operation: 'images.restore', title: 'Restore', input: inState(['available'], byId('image')) },
  { operation: 'images.forget', title: 'Forget', input: byId('image') },
]

export const imagePages: readonly Page[] = [
  listPage({
    path: 'images',
    title: 'Backups',
    operation: 'images.list',
    rows: 'images',
    filters: ['state', 'app', 'host', 'license'],
    columns: IMAGE_COLUMNS,
    empty: IMAGES_EMPTY,
  }),
  detailPage({
    path: 'images/{image}',
    operation: 'images.show',
    thing: 'image',
    title: (image) => `${image.kind} ${image.app ?? image.hostname ?? ''}`.trim(),
    first: ['state', 'captured_at', 'verified_at', 'size_bytes', 'app', 'license_id', 'job_id', 'id'],
    actions: ACTIONS,
  }),
  listPage({
    path: 'transfer-keys',
    title: 'Transfer keys',
    operation: 'transfer.list',
    rows: 'keys',
    filters: ['license'],
    columns: [
      thingColumn('Key', 'transfer-keys'),
      'state',
      { title: 'From', of: (key, visit) => host(key.source_fingerprint, visit, key) },
      { title: 'To', of: (key, visit) => host(key.target_fingerprint, visit, key) },
      'mode',
      'uses',
      'expires_at',
    ],
    actions: [{ operation: 'transfer.revoke', title: 'Revoke', input: inState(['active'], byId('key')) }],
    make: { 'transfer.mint': 'New key' },
    empty: { says: 'No key yet.', command: 'svc transfer mint --from HOST --to HOST' },
  }),
  detailPage({
    path: 'transfer-keys/{key}',
    operation: 'transfer.show',
    thing: 'key',
    title: () => 'Transfer key',
    actions: [{ operation: 'transfer.revoke', title: 'Revoke', input: inState(['active'], byId('key')) }],
  }),
]
