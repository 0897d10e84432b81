/** The places of the fake. */
export const LOCATIONS = ['fsn1', 'nbg1', 'hel1'] as const
/** The image of the fake, by its name and its id. */
export const IMAGE = 'debian-12'
export const IMAGE_ID = 1
/** The id of the first server type; the others follow. */
export const TYPE_ID = 104

const VAT = 1.19
const MADE_AT = '2026-01-01T00:00:00+00:00'

type Prices = ReadonlyMap<string, string>
type PlacePrices = ReadonlyMap<string, string | undefined>

function pricesOf(name: string, price: string, placePrices: PlacePrices) {
  const hourly = { net: '0.0060000000', gross: '0.0071400000000000' }
  return LOCATIONS.flatMap((location) => {
    const key = `${name} ${location}`
    const gross = placePrices.has(key) ? placePrices.get(key) : price
    if (gross === undefined) return []
    const net = (Number(gross) / VAT).toFixed(10)
    return [{ location, price_hourly: hourly, price_monthly: { net, gross } }]
  })
}

/** Returns the price list. */
export const pricingView = (prices: Prices, placePrices: PlacePrices) => ({
  currency: 'EUR',
  vat_rate: '19.000000',
  server_types: [...prices].map(([name, gross], index) => ({
    id: TYPE_ID + index,
    name,
    prices: pricesOf(name, gross, placePrices),
  })),
  primary_ips: [{ type: 'ipv4', prices: pricesOf('ipv4', '0.6069000000000000', placePrices) }],
})

/** Returns a server type. */
export const typeView = (name: string, prices: Prices, placePrices: PlacePrices) => ({
  id: TYPE_ID + [...prices.keys()].indexOf(name),
  name,
  description: name.toUpperCase(),
  cores: 2,
  memory: 4,
  disk: 40,
  storage_type: 'local',
  cpu_type: 'shared',
  architecture: 'x86',
  deprecated: false,
  deprecation: null,
  prices: pricesOf(name, prices.get(name) ?? '0', placePrices),
})

/** Returns an image. */
export const imageView = (name: string) => ({
  id: IMAGE_ID,
  name,
  type: 'system',
  status: 'available',
  description: name,
  os_flavor: 'debian',
  os_version: '12',
  architecture: 'x86',
  disk_size: 5,
  image_size: null,
  created: MADE_AT,
  protection: { delete: false },
  labels: {},
  deprecated: null,
  deleted: null,
})

/** Returns a place. */
export const locationView = (name: string) => ({
  id: LOCATIONS.indexOf(name as 'fsn1') + 1,
  name,
  description: name,
  city: name,
  country: 'DE',
  latitude: 50,
  longitude: 12,
  network_zone: 'eu-central',
})

/** Returns a key that may sign in. */
export const sshKeyView = (name: string, id: number) => ({
  id,
  name,
  fingerprint: '00:11',
  public_key: 'ssh-ed25519 AAAA',
  labels: {},
  created: MADE_AT,
})
