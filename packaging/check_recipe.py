"""Reads a recipe with rattler-build and renders it for each platform: check_recipe.py FILE"""

import sys

from rattler_build import PlatformConfig, RenderConfig, Stage0Recipe

for platform in ("linux-64", "linux-aarch64", "osx-64", "osx-arm64", "win-64"):
    recipe = Stage0Recipe.from_file(sys.argv[1])
    (rendered,) = recipe.render(render_config=RenderConfig(platform=PlatformConfig(target_platform=platform, build_platform="linux-64")))
    text = str(rendered.recipe.to_dict())
    assert "zmigrate" in text and "@" not in text, text
print("ok: the recipe of conda-forge")
