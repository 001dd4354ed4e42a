#include "io/mjcf_vocabulary.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "io/numbers.hpp"

namespace flexor::io {

namespace {

// Notation of one row: contexts in which the element may stand | name | context it opens | bin |
// attributes. Attributes come in groups "BIN [code]: words;" with
//   R read   A approximated   v visual  s solver  x inactive  P physics  O output   E rejected
// and words name[!][:values][=neutral]: '!' not in classes; values
//   3  1-3  *  counts of reals ('i': inf legal, 'k': a shorter vector keeps the class's rest),
//   int, b = true|false, t = true|false|auto, a|b|c keywords; default: any text;
// neutral: values at which a word of bin A is exact, one of bin P or E has no effect.
struct Row {
  const char* contexts;
  const char* name;
  const char* opens;
  const char* bin;
  const char* attributes;
};

#define ORIENTATION " quat:4 axisangle:4 euler:3 xyaxes:6 zaxis:3"
#define DRIVEN " joint! jointinparent! tendon! lengthrange!:2"
#define CRANK " cranksite! slidersite! cranklength:1"
#define CONTROL                                                                               \
  " ctrllimited:t ctrlrange:2i forcelimited:t forcerange:2i gear:1-6k armature:1 damping:1-3" \
  " delay:1 interp nsample:int"
#define ACTUATOR_BASE "R: name! class! "
#define DRAWN "; v: group user"
#define SAMPLING "; O ignored-output: delay=0 nsample=0 interp interval=0; v: user"
#define SENSOR "R: name! cutoff:1 noise:1"
#define SOFT "solref:1-2k solimp:1-5k"
#define LIMIT_AND_FRICTION \
  "; A softness-mapped: solreflimit:1-2k solimplimit:1-5k solreffriction:1-2k solimpfriction:1-5k"
#define FLEX_CONTACT                                                                            \
  "E unsupported-element: activelayers conaffinity condim contype friction gap margin passive " \
  "priority selfcollide solimp solmix solref"

const Row kRows[] = {
    {"document", "mujoco", "mujoco", "R", "R: model!"},
    {"any", "include", "", "R", "R: file!"},

    // ---- compiler, option, size, drawing ------------------------------------------------------
    {"mujoco", "compiler", "compiler", "R",
     "R: angle:degree|radian eulerseq autolimits:b inertiafromgeom:t inertiagrouprange:2 "
     "boundmass:1 boundinertia:1 balanceinertia:b settotalmass:1 meshdir assetdir strippath:b;"
     "x legacy-attribute: coordinate:local|global convexhull exactmeshinertia;"
     "v: texturedir; x: usethread discardvisual fusestatic saveinertial fitaabb conflict "
     "passthrough savecanonical savecompiled; P ignored-physics: alignfree=false|auto"},
    {"compiler", "lengthrange", "", "R",
     "R: mode:none|muscle|muscleuser|all useexisting:b uselimit:b accel:1 maxforce:1 timeconst:1 "
     "timestep:1 inttotal:1 interval:1 tolrange:1"},
    {"mujoco", "option", "option", "R",
     "R: timestep:1 gravity:3 magnetic:3 actuatorgroupdisable;"
     "A integrator: integrator:Euler|RK4|implicit|implicitfast=Euler;"
     "A contact-softness: cone:pyramidal|elliptic=elliptic impratio:1=1;"
     "s: solver iterations tolerance jacobian ls_iterations ls_tolerance noslip_iterations "
     "noslip_tolerance ccd_iterations ccd_tolerance sdf_iterations sdf_initpoints sleep_tolerance;"
     "P ignored-physics: density:1=0 viscosity:1=0; x: wind:3 o_margin:1 o_solref:1-2 "
     "o_solimp:1-5 o_friction:1-5;"
     "R legacy-attribute: collision:all|dynamic|predefined;"
     "s legacy-attribute: apirate mpr_iterations mpr_tolerance"},
    {"option", "flag", "", "R",
     "R: constraint:enable|disable equality:enable|disable frictionloss:enable|disable "
     "limit:enable|disable contact:enable|disable spring:enable|disable damper:enable|disable "
     "gravity:enable|disable clampctrl:enable|disable actuation:enable|disable "
     "filterparent:enable|disable refsafe:enable|disable;"
     "A contact-softness: override:enable|disable=disable;"
     "R legacy-attribute: passive:enable|disable; x legacy-attribute: sensornoise;"
     "x: autoreset diagexact energy eulerdamp fwdinv invdiscrete ipc island midphase multiccd "
     "nativeccd sensor sleep speculative warmstart"},
    {"mujoco", "size", "", "s",
     "s: memory nuserdata; s legacy-attribute: njmax nconmax nstack; x: nkey; v: nuser_actuator "
     "nuser_body nuser_cam nuser_geom nuser_jnt nuser_sensor nuser_site nuser_tendon"},
    {"mujoco", "statistic", "", "s", "s: center extent meaninertia meanmass meansize"},
    {"mujoco", "visual", "visual", "v", ""},
    {"visual", "global", "", "v",
     "v: azimuth bvactive cameraid elevation ellipsoidinertia fovy glow ipd linewidth offheight "
     "offwidth orthographic realtime"},
    {"visual", "quality", "", "v", "v: numquads numslices numstacks offsamples shadowsize"},
    {"visual", "headlight", "", "v", "v: active ambient diffuse specular"},
    {"visual", "map", "", "v",
     "v: actuatortendon alpha fogend fogstart force haze shadowclip shadowscale stiffness "
     "stiffnessrot torque zfar znear"},
    {"visual", "scale", "", "v",
     "v: actuatorlength actuatorwidth camera com connect constraint contactheight contactwidth "
     "forcewidth framelength framewidth frustum jointlength jointwidth light selectpoint "
     "slidercrank"},
    {"visual", "rgba", "", "v",
     "v: actuator actuatornegative actuatorpositive bv bvactive camera com connect constraint "
     "contactforce contactfriction contactgap contactpoint contacttorque crankbroken fog force "
     "frustum haze inertia joint light rangefinder selectpoint slidercrank"},
    {"mujoco", "custom", "custom", "v", ""},
    {"custom", "numeric", "", "v", "v: name data size"},
    {"custom", "text", "", "v", "v: name data"},
    {"custom", "tuple", "tuple", "v", "v: name"},
    {"tuple", "element", "", "v", "v: objname objtype prm"},

    // ---- classes ------------------------------------------------------------------------------
    {"mujoco default", "default", "default", "R", "R: class!"},

    // ---- extension, assets --------------------------------------------------------------------
    {"mujoco", "extension", "extension", "R", ""},
    {"extension", "plugin", "plugin", "R", "R: plugin!"},
    {"plugin", "instance", "plugin", "R", "R: name!"},
    {"plugin", "config", "", "R", "R: key! value!"},
    {"mujoco", "asset", "asset", "R", ""},
    {"asset default", "mesh", "mesh", "R",
     "R: name! class! file! vertex!:* face!:* scale:3 refpos!:3 refquat!:4 "
     "inertia:legacy|exact|convex|shell maxhullvert:int;"
     "x: content_type! smoothnormal! normal! texcoord! material!;"
     "E unsupported-value: builtin!=none params!"},
    {"mesh", "plugin", "plugin", "E unsupported-element",
     "E unsupported-element: plugin! instance!"},
    {"asset", "hfield", "", "A substitute-shape",
     "R: name! nrow!:int ncol!:int size!:4; x: content_type!;"
     "P ignored-physics: file! elevation!=0"},
    {"asset deformable", "skin", "skin", "v",
     "v: name! file! face! group! inflate! material! rgba! texcoord! vertex!"},
    {"skin", "bone", "", "v", "v: body bindpos bindquat vertid vertweight"},
    {"asset default", "texture", "", "v",
     "v: name! class! file! fileback! filedown! filefront! fileleft! fileright! fileup! "
     "content_type! builtin colorspace embed gridlayout gridsize height hflip mark markrgb "
     "nchannel random rgb1 rgb2 type vflip width"},
    {"asset default", "material", "material", "v",
     "v: name! class! emission metallic reflectance rgba roughness shininess specular texrepeat "
     "texture texuniform"},
    {"material", "layer", "", "v", "v: role texture"},
    {"asset", "model", "", "E unsupported-element",
     "E unsupported-element: name! file! content_type!"},

    // ---- bodies -------------------------------------------------------------------------------
    {"mujoco", "worldbody", "body", "R", ""},
    {"body", "body", "body", "R",
     "R: name! childclass! pos!:3 quat!:4 axisangle!:4 euler!:3 xyaxes!:6 zaxis!:3 mocap!:b "
     "gravcomp!:1; x: sleep! simple! fuse!; v: user!"},
    {"body", "frame", "body", "R",
     "R: name! childclass! pos!:3 quat!:4 axisangle!:4 euler!:3 xyaxes!:6 zaxis!:3"},
    {"body", "replicate", "body", "R", "R: count!:int offset!:3 euler!:3 sep! childclass!"},
    {"body", "inertial", "", "R",
     "R: pos!:3 quat!:4 axisangle!:4 euler!:3 xyaxes!:6 zaxis!:3 mass!:1 diaginertia!:3 "
     "fullinertia!:6"},
    {"body default", "joint", "", "R",
     "R: name! class! type:hinge|slide|ball|free pos:3 axis:3 range:2i limited:t ref:1 springref:1 "
     "stiffness:1-3 damping:1-3 armature:1 frictionloss:1 margin:1 springdamper:2 "
     "actuatorfrcrange:2i actuatorfrclimited:t" LIMIT_AND_FRICTION
     "; P ignored-physics: actuatorgravcomp:b=false springyield:1=0" DRAWN},
    {"body", "freejoint", "", "R", "R: name!; v: group!; P ignored-physics: align!:t=false|auto"},
    {"body default", "geom", "geom", "R",
     "R: name! class! type:plane|hfield|sphere|capsule|cylinder|box|ellipsoid|mesh|sdf size:1-3k "
     "fromto:6 pos:3" ORIENTATION " mass:1 density:1 mesh hfield contype:int conaffinity:int "
     "condim:int friction:1-3k priority:int fitscale:1;"
     "A substitute-shape: shellinertia:b=false; A contact-margin: margin:1=0;"
     "A contact-softness: " SOFT " solmix:1; x: gap:1 fluidshape fluidcoef:1-5;"
     "P ignored-physics: surfacevel=0 adhesion=0; v: rgba material castshadow" DRAWN},
    {"geom", "plugin", "plugin", "E unsupported-element",
     "E unsupported-element: plugin! instance!"},
    {"body default", "site", "", "R",
     "R: name! class! pos:3" ORIENTATION " fromto:6 size:1-3k "
     "type:sphere|capsule|ellipsoid|cylinder|box; v: rgba material mesh" DRAWN},
    {"body default", "camera", "", "v",
     "v: name! class! target! pos" ORIENTATION " mode fovy ipd focal focalpixel "
     "output principal principalpixel projection resolution sensorsize user"},
    {"body default", "light", "", "v",
     "v: name! class! target! texture! active ambient attenuation bulbradius castshadow cutoff "
     "diffuse dir directional exponent intensity mode pos range softness specular type"},
    {"body", "plugin", "plugin", "E unsupported-element",
     "E unsupported-element: plugin! instance!"},
    {"body", "attach", "", "E unsupported-element",
     "E unsupported-element: model! body! frame! prefix!"},
    {"body", "composite", "composite", "E unsupported-element",
     "E unsupported-element: prefix! type! count! spacing! offset! vertex! initial! curve! size! "
     "quat!"},
    {"body", "flexcomp", "flexcomp", "E unsupported-element",
     "E unsupported-element: name! axisangle! cellcount! count! dim! dof! element! euler! file! "
     "flatskin! group! inertiabox! mass! material! mesh! origin! point! pos! quat! radius! rgba! "
     "rigid! scale! spacing! texcoord! type! xyaxes! zaxis!"},
    {"flexcomp", "edge", "", "E unsupported-element",
     "E unsupported-element: damping equality solimp solref stiffness"},
    {"flexcomp flex", "elasticity", "", "E unsupported-element",
     "E unsupported-element: damping elastic2d poisson section sectionsize shear thickness yield "
     "young"},
    {"flexcomp flex", "contact", "", "E unsupported-element", FLEX_CONTACT},
    {"flexcomp", "pin", "", "E unsupported-element",
     "E unsupported-element: grid gridrange id range"},
    {"flexcomp", "plugin", "plugin", "E unsupported-element",
     "E unsupported-element: plugin! instance!"},
    {"mujoco", "deformable", "deformable", "R", ""},
    {"deformable", "flex", "flex", "E unsupported-element",
     "E unsupported-element: name body cellcount dim dof element elemtexcoord flatskin group "
     "material node nodecoord radius rgba texcoord vertex"},
    {"flex", "edge", "", "E unsupported-element", "E unsupported-element: damping stiffness"},

    // ---- contacts, equalities -----------------------------------------------------------------
    {"mujoco", "contact", "contact", "R", ""},
    {"contact default", "pair", "", "R",
     "R: name! class! geom1! geom2! condim:int friction:1-5k;"
     "A contact-margin: margin:1=0; A contact-softness: " SOFT " solreffriction:1-2k;"
     "x: gap:1; P ignored-physics: adhesion=0"},
    {"contact", "exclude", "", "R", "R: name! body1! body2!"},
    {"mujoco", "equality", "equality", "R", ""},
    {"default", "equality", "", "R", "R: active:b; A loop-softness: " SOFT},
    {"equality", "connect", "", "R",
     "R: name! class! body1! body2! anchor!:3 site1! site2! active:b; A loop-softness: " SOFT},
    {"equality", "weld", "", "R",
     "R: name! class! body1! body2! anchor!:3 relpose!:7 site1! site2! active:b;"
     "A loop-softness: " SOFT " torquescale!:1=1"},
    {"equality", "joint", "", "R",
     "R: name! class! joint1! joint2! polycoef!:1-5k active:b; A loop-softness: " SOFT},
    {"equality", "tendon", "", "R",
     "R: name! class! tendon1! tendon2! polycoef!:1-5k active:b; A loop-softness: " SOFT},
    {"equality", "distance", "", "E unsupported-element",
     "E unsupported-element: name! class! geom1! geom2! distance! active solref solimp"},
    {"equality", "flex", "", "E unsupported-element",
     "E unsupported-element: name! class! flex! active solref solimp"},
    {"equality", "flexvert", "", "E unsupported-element",
     "E unsupported-element: name! class! flex! active solref solimp"},
    {"equality", "flexstrain", "", "E unsupported-element",
     "E unsupported-element: name! class! flex! cell! active solref solimp"},

    // ---- tendons ------------------------------------------------------------------------------
    {"mujoco", "tendon", "tendon", "R", ""},
    {"default", "tendon", "", "R",
     "R: limited:t range:2i margin:1 stiffness:1-3 damping:1-3 frictionloss:1 springlength:1-2i "
     "armature:1 actuatorfrclimited:t actuatorfrcrange:2i width:1 rgba:4" LIMIT_AND_FRICTION
     "; P ignored-physics: springyield:1=0; v: material" DRAWN},
    {"tendon", "spatial", "spatial", "R",
     "R: name! class! limited:t range:2i margin:1 stiffness:1-3 damping:1-3 frictionloss:1 "
     "springlength:1-2i armature:1 actuatorfrclimited:t actuatorfrcrange:2i width:1 "
     "rgba:4" LIMIT_AND_FRICTION "; P ignored-physics: springyield:1=0; v: material" DRAWN},
    {"tendon", "fixed", "fixed", "R",
     "R: name! class! limited:t range:2i margin:1 stiffness:1-3 damping:1-3 frictionloss:1 "
     "springlength:1-2i armature:1 actuatorfrclimited:t actuatorfrcrange:2i" LIMIT_AND_FRICTION
     "; P ignored-physics: springyield:1=0" DRAWN},
    {"spatial", "site", "", "R", "R: site!"},
    {"spatial", "geom", "", "R", "R: geom! sidesite!"},
    {"spatial", "pulley", "", "R", "R: divisor!:1"},
    {"fixed", "joint", "", "R", "R: joint! coef!:1"},

    // ---- actuators ----------------------------------------------------------------------------
    {"mujoco", "actuator", "actuator", "R", ""},
    {"actuator default", "general", "", "R",
     ACTUATOR_BASE DRIVEN
     " site! refsite! body!" CRANK CONTROL
     " actdim:int actearly:b actlimited:t actrange:2i inheritrange:1 dynprm:1-10k "
     "gainprm:1-10k biasprm:1-10k dyntype:none|integrator|filter|filterexact|muscle|dcmotor|user "
     "gaintype:fixed|affine|muscle|dcmotor|user biastype:none|affine|muscle|dcmotor|user "
     "input velrange:2i ffrange:2i" DRAWN},
    {"actuator default", "motor", "", "R",
     ACTUATOR_BASE DRIVEN " site! refsite!" CRANK CONTROL DRAWN},
    {"actuator default", "position", "", "R",
     ACTUATOR_BASE DRIVEN " site! refsite!" CRANK CONTROL
                          " inheritrange:1 kp:1 kv:1 dampratio:1 timeconst:1" DRAWN},
    {"actuator default", "velocity", "", "R",
     ACTUATOR_BASE DRIVEN " site! refsite!" CRANK CONTROL " kv:1" DRAWN},
    {"actuator default", "intvelocity", "", "R",
     ACTUATOR_BASE DRIVEN " site! refsite!" CRANK CONTROL
                          " actlimited:t actrange:2i inheritrange:1 kp:1 kv:1 dampratio:1" DRAWN},
    {"actuator default", "damper", "", "R",
     ACTUATOR_BASE DRIVEN
     " site! refsite!" CRANK
     " ctrlrange:2i forcelimited:t forcerange:2i gear:1-6k armature:1 damping:1-3 delay:1 interp "
     "nsample:int kv:1" DRAWN},
    {"actuator default", "cylinder", "", "R",
     ACTUATOR_BASE DRIVEN " site! refsite!" CRANK CONTROL
                          " timeconst:1 area:1 diameter:1 bias:3" DRAWN},
    {"actuator default", "muscle", "", "R",
     ACTUATOR_BASE DRIVEN CRANK CONTROL
     " timeconst:2 tausmooth!:1 range:2 force:1 scale:1 lmin:1 lmax:1 vmax:1 fpmax:1 "
     "fvmax:1" DRAWN},
    {"actuator default", "adhesion", "", "P ignored-physics",
     ACTUATOR_BASE "body! ctrlrange:2i forcelimited:t forcerange:2i gain:1 delay:1 interp "
                   "nsample:int" DRAWN},
    {"actuator default", "orientation", "", "P ignored-physics",
     ACTUATOR_BASE "joint! site! refsite! ctrlrange:* forcelimited:t forcerange:2i kp:1 kv:1 "
                   "dampratio:1 input delay:1 interp nsample:int" DRAWN},
    {"actuator default", "pid", "", "P ignored-physics",
     ACTUATOR_BASE DRIVEN
     " site! refsite!" CRANK CONTROL
     " inheritrange:1 input kp:1 ki:1 kv:1 dampratio:1 imax:1 slewmax:1 posrange:2i velrange:2i "
     "ffrange:2i" DRAWN},
    {"actuator default", "dcmotor", "", "P ignored-physics",
     ACTUATOR_BASE DRIVEN
     " site! refsite!" CRANK
     " ctrllimited:t ctrlrange:2i gear:1-6k armature:1 damping:1-3 delay:1 interp nsample:int "
     "input motorconst resistance inductance thermal cogging lugre controller nominal "
     "saturation" DRAWN},
    {"actuator", "plugin", "plugin", "P ignored-physics",
     ACTUATOR_BASE "plugin! instance! site!" DRIVEN CRANK CONTROL
                   " actdim:int actearly:b actlimited:t actrange:2i dynprm:1-10k "
                   "dyntype:none|integrator|filter|filterexact|muscle|user" DRAWN},

    // ---- sensors ------------------------------------------------------------------------------
    {"mujoco", "sensor", "sensor", "R", ""},
#define SITE_SENSOR(name) \
  { "sensor", name, "", "R", SENSOR " site!" SAMPLING }
    SITE_SENSOR("touch"),
    SITE_SENSOR("accelerometer"),
    SITE_SENSOR("velocimeter"),
    SITE_SENSOR("gyro"),
    SITE_SENSOR("force"),
    SITE_SENSOR("torque"),
    SITE_SENSOR("magnetometer"),
#define JOINT_SENSOR(name) \
  { "sensor", name, "", "R", SENSOR " joint!" SAMPLING }
    JOINT_SENSOR("jointpos"),
    JOINT_SENSOR("jointvel"),
    JOINT_SENSOR("jointactuatorfrc"),
    JOINT_SENSOR("ballquat"),
    JOINT_SENSOR("ballangvel"),
    JOINT_SENSOR("jointlimitpos"),
    JOINT_SENSOR("jointlimitvel"),
    JOINT_SENSOR("jointlimitfrc"),
#define TENDON_SENSOR(name) \
  { "sensor", name, "", "R", SENSOR " tendon!" SAMPLING }
    TENDON_SENSOR("tendonpos"),
    TENDON_SENSOR("tendonvel"),
    TENDON_SENSOR("tendonactuatorfrc"),
    TENDON_SENSOR("tendonlimitpos"),
    TENDON_SENSOR("tendonlimitvel"),
    TENDON_SENSOR("tendonlimitfrc"),
#define ACTUATOR_SENSOR(name) \
  { "sensor", name, "", "R", SENSOR " actuator!" SAMPLING }
    ACTUATOR_SENSOR("actuatorpos"),
    ACTUATOR_SENSOR("actuatorvel"),
    ACTUATOR_SENSOR("actuatorfrc"),
#define FRAME_SENSOR(name) \
  { "sensor", name, "", "R", SENSOR " objtype! objname! reftype! refname!" SAMPLING }
    FRAME_SENSOR("framepos"),
    FRAME_SENSOR("framequat"),
    FRAME_SENSOR("framexaxis"),
    FRAME_SENSOR("frameyaxis"),
    FRAME_SENSOR("framezaxis"),
    FRAME_SENSOR("framelinvel"),
    FRAME_SENSOR("frameangvel"),
#define ACCELERATION_SENSOR(name) \
  { "sensor", name, "", "R", SENSOR " objtype! objname!" SAMPLING }
    ACCELERATION_SENSOR("framelinacc"),
    ACCELERATION_SENSOR("frameangacc"),
#define BODY_SENSOR(name) \
  { "sensor", name, "", "R", SENSOR " body!" SAMPLING }
    BODY_SENSOR("subtreecom"),
    BODY_SENSOR("subtreelinvel"),
    BODY_SENSOR("subtreeangmom"),
#define MODEL_SENSOR(name) \
  { "sensor", name, "", "R", SENSOR SAMPLING }
    MODEL_SENSOR("e_potential"),
    MODEL_SENSOR("e_kinetic"),
    MODEL_SENSOR("clock"),
    {"sensor", "rangefinder", "", "O ignored-output", SENSOR " site! camera! data!" SAMPLING},
    {"sensor", "camprojection", "", "O ignored-output", SENSOR " site! camera!" SAMPLING},
#define PAIR_SENSOR(name) \
  { "sensor", name, "", "O ignored-output", SENSOR " geom1! geom2! body1! body2!" SAMPLING }
    PAIR_SENSOR("distance"),
    PAIR_SENSOR("normal"),
    PAIR_SENSOR("fromto"),
    {"sensor", "contact", "", "O ignored-output",
     SENSOR " geom1! geom2! body1! body2! subtree1! subtree2! site! num! data! reduce!" SAMPLING},
    {"sensor", "insidesite", "", "O ignored-output",
     SENSOR " site! objtype! objname! enclosed!" SAMPLING},
    {"sensor", "tactile", "", "O ignored-output", "R: name! cutoff:1 geom! mesh!" SAMPLING},
    {"sensor", "user", "", "O ignored-output",
     SENSOR " objtype! objname! datatype! needstage! dim!; v: user"},
    {"sensor", "plugin", "plugin", "O ignored-output",
     "R: name! cutoff:1 plugin! instance! objtype! objname! reftype! refname!; v: user"},

    // ---- keyframes ----------------------------------------------------------------------------
    {"mujoco", "keyframe", "keyframe", "R", ""},
    {"keyframe", "key", "", "R",
     "R: name! time!:1 qpos!:* qvel!:* act!:* ctrl!:* mpos!:* mquat!:*;"
     "P ignored-physics: plastic!="},
};

Binning parse_bin(char letter) {
  switch (letter) {
    case 'R':
      return {Bin::kRead, IgnoredClass::kNone};
    case 'A':
      return {Bin::kApproximated, IgnoredClass::kNone};
    case 'v':
      return {Bin::kIgnored, IgnoredClass::kVisual};
    case 's':
      return {Bin::kIgnored, IgnoredClass::kSolver};
    case 'x':
      return {Bin::kIgnored, IgnoredClass::kInactive};
    case 'P':
      return {Bin::kIgnored, IgnoredClass::kPhysics};
    case 'O':
      return {Bin::kIgnored, IgnoredClass::kOutput};
    default:
      return {Bin::kRejected, IgnoredClass::kNone};
  }
}

std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

int parse_count(std::string_view text) {
  int count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

void parse_values(std::string_view values, AttributeWord& word) {
  if (values == "b") values = "true|false";
  if (values == "t") values = "true|false|auto";
  if (values.empty()) return;
  if (values == "int") {
    word.kind = ValueKind::kInteger;
  } else if (values == "*") {
    word.kind = ValueKind::kReals;
    word.max_count = 1 << 30;
  } else if (values[0] >= '0' && values[0] <= '9') {
    word.kind = ValueKind::kReals;
    for (; values.back() == 'i' || values.back() == 'k'; values.remove_suffix(1))
      (values.back() == 'i' ? word.may_be_infinite : word.is_tail_kept) = true;
    const auto counts = split_at(values, '-');
    word.min_count = parse_count(counts.front());
    word.max_count = parse_count(counts.back());
  } else {
    word.kind = ValueKind::kKeyword;
    word.keywords = split_at(values, '|');
  }
}

AttributeWord parse_word(std::string_view text, Binning binning, std::string_view code) {
  AttributeWord word;
  word.binning = binning;
  word.code = code;
  if (const std::size_t equals = text.find('='); equals != std::string_view::npos) {
    word.neutral = split_at(text.substr(equals + 1), '|');
    text = text.substr(0, equals);
  }
  std::string_view values;
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    values = text.substr(colon + 1);
    text = text.substr(0, colon);
  }
  if (text.ends_with('!')) {
    word.is_in_classes = false;
    text.remove_suffix(1);
  }
  word.name = text;
  parse_values(values, word);
  return word;
}

ElementWord parse_row(const Row& row, std::string_view context) {
  const auto bin = split(row.bin);
  ElementWord element{.name = row.name,
                      .context = context,
                      .opens = row.opens,
                      .binning = parse_bin(bin[0][0]),
                      .code = bin.size() > 1 ? bin[1] : "",
                      .attributes = {}};
  for (const std::string_view group : split_at(row.attributes, ';')) {
    if (group.empty()) continue;
    // the header ends at the first ": "; colons inside words have no blank behind them
    const std::size_t colon = group.find(": ");
    const auto header = split(group.substr(0, colon));
    const std::string_view code = header.size() > 1 ? header[1] : "";
    for (const std::string_view text : split(group.substr(colon + 1))) {
      AttributeWord word = parse_word(text, parse_bin(header[0][0]), code);
      if (context == "default" && element.name != "default" && !word.is_in_classes) continue;
      element.attributes.push_back(std::move(word));
    }
  }
  std::sort(element.attributes.begin(), element.attributes.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return element;
}

using Table = std::map<std::pair<std::string_view, std::string_view>, ElementWord>;

const Table& table() {
  static const Table result = [] {
    Table words;
    for (const Row& row : kRows)
      for (const std::string_view context : split(row.contexts))
        words.emplace(std::pair(context, std::string_view(row.name)), parse_row(row, context));
    return words;
  }();
  return result;
}

}  // namespace

const AttributeWord* ElementWord::attribute(std::string_view attribute_name) const {
  const auto found =
      std::lower_bound(attributes.begin(), attributes.end(), attribute_name,
                       [](const AttributeWord& word, std::string_view n) { return word.name < n; });
  return found != attributes.end() && found->name == attribute_name ? &*found : nullptr;
}

const ElementWord* find_word(std::string_view context, std::string_view name) {
  if (name == "include") context = "any";
  const auto found = table().find({context, name});
  return found == table().end() ? nullptr : &found->second;
}

bool is_word(std::string_view name) {
  static const std::set<std::string_view> names = [] {
    std::set<std::string_view> result;
    for (const auto& [key, word] : table()) result.insert(key.second);
    return result;
  }();
  return names.contains(name);
}

std::vector<std::string> element_names(std::string_view context) {
  std::vector<std::string> names;
  for (auto i = table().lower_bound({context, ""}); i != table().end() && i->first.first == context;
       ++i)
    names.emplace_back(i->first.second);
  return names;
}

std::vector<std::string> attribute_names(const ElementWord& word) {
  std::vector<std::string> names;
  for (const AttributeWord& attribute : word.attributes) names.emplace_back(attribute.name);
  return names;
}

}  // namespace flexor::io
