import withLocalization from 'unplugin-localization/next'

export default withLocalization({}, { defaultLanguage: 'en' })
