import type { AppRelease } from '@svc/core/adapters'
import { linkName } from '../app-links.ts'
import type { Slot } from '../slot.ts'
import { type ServiceRoute, serviceAddress, type Way } from './switch-rules.ts'
import type { UnitSlot } from './unit-slot.ts'

/**
 * The ways to the services of an application, for its own containers. One of the live release that is up
 * comes first, then any that is up, then any that was started: a service may ask another one before that is
 * found to be healthy.
 */
export function serviceRoutes(live: readonly Slot[], placed: readonly UnitSlot[]): readonly ServiceRoute[] {
  const processes = [...new Set(placed.map(({ parts }) => parts.process))]
  return processes.flatMap((process) => {
    const slots = placed.filter(({ parts }) => parts.process === process)
    const ports = new Set(slots.flatMap(({ parts }) => parts.container?.service?.ports ?? []))
    const up = slots.filter(({ isUp }) => isUp)
    const ready = up.filter((slot) => live.includes(slot))
    const chosen = [ready, up, slots].find(({ length }) => length > 0) ?? []
    return [...ports].map((port) => ({
      address: serviceAddress(process),
      port,
      instances: chosen.flatMap((slot) => portTo(slot, port) ?? []),
    }))
  })
}

/** The port of 127.0.0.1 that leads to one of a container. */
const portTo = (slot: UnitSlot, port: number): number | undefined =>
  slot.reached.get(port) ?? (slot.parts.container?.port === port ? slot.port : undefined)

/** The applications that one reaches, and whether its containers do. */
export interface Links {
  readonly names: readonly string[]
  readonly isBoxed: boolean
}

/** The links of releases together. */
export const linksOf = (releases: readonly (AppRelease | undefined)[]): Links => ({
  names: [...new Set(releases.flatMap((each) => each?.links ?? []))],
  isBoxed: releases.some((each) => Object.keys(each?.containers ?? {}).length > 0),
})

/** The ways of an application's containers to the applications that it is linked to. */
export const linkRoutes = (
  links: readonly { readonly name: string; readonly ways: readonly Way[] }[],
): readonly ServiceRoute[] =>
  links.flatMap(({ name, ways }) => ways.map((way) => ({ address: serviceAddress(linkName(name)), ...way })))
