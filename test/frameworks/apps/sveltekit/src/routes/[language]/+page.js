import { has, load as loadTexts } from 'virtual:translations'
import { error } from '@sveltejs/kit'

export async function load({ params }) {
  if (!has(params.language, 'common')) error(404)
  return { texts: { ...(await loadTexts(params.language, 'common')) } }
}
