// Expo brings the preset, but not where Babel looks for it.
const preset = require.resolve("babel-preset-expo", { paths: [require.resolve("expo/package.json")] });

module.exports = (api) => {
  api.cache(true);
  return { presets: [preset] };
};
