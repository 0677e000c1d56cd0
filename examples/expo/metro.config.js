const { getDefaultConfig } = require("expo/metro-config");

const config = getDefaultConfig(__dirname);

// For bundle.mjs: an app with an old resolver and without NetInfo.
if (process.env.PLAIN_APP === "yes") {
  config.resolver.unstable_enablePackageExports = false;
  config.resolver.resolveRequest = (context, name, platform) => {
    if (name === "@react-native-community/netinfo") {
      throw new Error(`${name} is not installed`);
    }
    return context.resolveRequest(context, name, platform);
  };
}

module.exports = config;
