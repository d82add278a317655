from snekpy import stage
class V:
    __slots__=("x","y")
    def __init__(self,x,y): self.x=x; self.y=y
    def __add__(self,o): return V(self.x+o.x,self.y+o.y)
class W(V):
    __slots__=("z",)
    def __init__(self,x,y,z): super().__init__(x,y); self.z=z
    @property
    def s(self): return self.x+self.z
def show(v): return [type(v).__name__]+[(n,getattr(v,n,"unset")) for n in ("x","y","z")]
@stage
def move(a,b,n):
    for i in range(n):
        a.x+=b.x*0.5
        if a.x>3: a.y=-b.y
    return a
for i in range(5):
    a,b=V(float(i),1.0),V(1.0,float(i)); r=move(a,b,4+i); print(show(r),r is a,show(b))
@stage
def made(n,k):
    p=V(0,0)
    for i in range(n):
        p=p+V(i,k)
        if p.x>50: del p.y; p.y=3
    return p,[p]
for i in range(4): r=made(5+i*3,i); print(show(r[0]),r[0] is r[1][0])
@stage
def unset(n):
    w=W.__new__(W)
    try:
        return w.z
    except AttributeError as e:
        return str(e),n
for i in range(3): print(unset(i))
@stage
def partly(c,n):
    w=W(1,2,n)
    if c: del w.z
    try: return w.s
    except AttributeError as e: return "no",w.x
for c in (True,False,True): print(partly(c,4),partly(c,5.5))
@stage
def same(a,b):
    a.x=10
    return b.x+a.x, a is b
v=V(1,2)
print(same(v,v),same(V(1,2),V(3,4)),same(v,V(1,5)),same(v,v))
G=V(5,6)
@stage
def world(k):
    return G.x*k+G.y
print(world(2),world(3)); G.x=7; print(world(2),world(3)); del G.x
for i in range(2):
    try: print(world(2))
    except AttributeError as e: print("AE",e)
G.x=1.5
print(world(2))
@stage
def worldset(k):
    G.x=k
    return G.x+1
print(worldset(3),G.x,worldset(4),G.x)
@stage
def err(a,n):
    a.x+=1
    a.y=a.y//n
    return a.y
for n in (1,2,0,3):
    a=V(1,9)
    try: print(err(a,n),show(a))
    except ZeroDivisionError as e: print(e,show(a))
@stage
def big(a):
    a.x=a.x*a.x
    a.y=a.x+1
    return a.y
for x in (3,2**40,2**70): 
    a=V(x,0); print(big(a),show(a))
class N:
    __slots__=("v","next")
    def __init__(self,v,n): self.v=v; self.next=n
@stage
def chain(a,b,c):
    n=N(a,N(b,N(c,None))); s=0
    while n is not None: s=s*10+n.v; n=n.next
    return s
print(chain(1,2,3),chain(4,5,6))
@stage
def cyc(a):
    n=N(a,None); n.next=n
    return n
r=cyc(3); print(r.v,r.next is r)
from dataclasses import dataclass
@dataclass(slots=True,frozen=True)
class F:
    a: int
    b: float
    def up(self,k): return F(self.a+k,self.b*2)
@stage
def fro(f,k):
    for i in range(k): f=f.up(i)
    return f
for i in range(4): print(fro(F(i,1.5),i+2))
@stage
def lst(vs,k):
    for v in vs: v.x=v.x*k; v.y+=v.x
    return sum([v.y for v in vs])
for n in (2,3,20): 
    vs=[V(i,1) for i in range(n)]; print(lst(vs,2),lst(vs,3),[show(v) for v in vs[:2]])
def pick(o): return (o.x,o.y)
import operator
@stage
def getter(a,k):
    v=V(a,k); g=operator.attrgetter("x")
    return g(v)+1
for i in range(3): print(getter(i,2))
@stage
def st(v): 
    w=V(v,1); return repr([w.x,w.y]), f"{w.x}", getattr(w,"x"), hasattr(w,"x"), hasattr(w,"q")
for i in range(3): print(st(i))
@stage
def mut(v,n):
    try:
        for i in range(n):
            v.x+=1
            if v.x>5: raise KeyError(v.x)
    except KeyError as e: return e.args, v.x
    return v.x
for i in range(4): a=V(i,0); print(mut(a,i*2),a.x)
