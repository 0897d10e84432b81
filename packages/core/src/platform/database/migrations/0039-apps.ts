import type { MigrationStep } from './index.ts'

/**
 * Applications, one row for each that a hook, a deploy or a person names, and their variables. An id follows
 * from license and name, so that the apps of earlier hooks and deployments get theirs here.
 */
export const apps: MigrationStep = {
  name: '0039-apps',
  sql: [
    `create table apps (
      id text primary key,
      license_id text not null,
      name text not null,
      fingerprint text,
      repo_url text,
      env_revision integer not null default 0,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      unique (license_id, name))`,
    `create table app_variables (
      id text primary key,
      app_id text not null references apps (id) on delete cascade,
      name text not null,
      value text,
      secret text,
      updated_at timestamptz not null,
      unique (app_id, name),
      check ((value is null) <> (secret is null)))`,
    `insert into apps (id, license_id, name, created_at, updated_at)
      select 'app_' || left(encode(sha256(convert_to(license_id || ' ' || app, 'UTF8')), 'hex'), 26), license_id, app,
        min(created_at), min(created_at)
      from (select license_id, app, created_at from git_hooks
        union all select license_id, app, created_at from deployments) named
      group by license_id, app`,
  ],
}
