import { Migration } from '@mikro-orm/migrations'

/** The sites of each kind of link, as patterns of hosts. */
const SITES = {
  x: String.raw`(x|twitter)\.com`,
  telegram: String.raw`(t|telegram)\.me`,
  discord: String.raw`discord\.(gg|com)`,
  farcaster: String.raw`(farcaster\.xyz|warpcast\.com)`,
  github: String.raw`github\.com`,
}

const IS_OF_SITE = Object.entries(SITES)
  .map(([kind, host]) => String.raw`link->>'kind' = '${kind}' and link->>'url' ~* '^https://([^/?#@:]+\.)?${host}(:\d+)?([/?#]|$)'`)
  .join(' or ')

/** The links of a column of JSON, of which those that lead to another site than their kind says are `other`. */
const checked = (links: string) => `(
  select jsonb_agg(case when link->>'kind' = 'website' or ${IS_OF_SITE} then link else link || '{"kind": "other"}' end order by place)
  from jsonb_array_elements(${links}) with ordinality as listed (link, place))`

/** Checks the links that earlier versions have stored: a link of the kind `x` could lead anywhere. */
export class Migration0021LinkSites extends Migration {
  override up(): void {
    this.addSql(`update token set links = ${checked('links::jsonb')}::text where links::jsonb <> ${checked('links::jsonb')}`)
    this.addSql(`update metadata set links = ${checked('links')} where links <> ${checked('links')}`)
  }
}
