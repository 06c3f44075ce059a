import localization from 'unplugin-localization/webpack'

export default {
  webpack(config) {
    config.plugins.push(localization({ defaultLanguage: 'en' }))
    return config
  },
}
